//! All of these tests once more, where the kernel does not know `openat2`.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

/// Which part a process of this program plays.
const PART: &str = "LEGWORK_TOOLS_TEST_UNKNOWN";
const THIS: &str = "workspace::tests::unknown::no_way_leads_outside_without_openat2";

fn this_program() -> Command {
    // Reached by this name whatever folder it lies in.
    Command::new("/proc/self/exe")
}

#[test]
fn no_way_leads_outside_without_openat2() {
    match std::env::var(PART).as_deref() {
        // The last one runs under the filter, and so do all that run with it.
        Ok("filtered") => {
            let opened =
                openat2(CWD, ".", OFlags::RDONLY, Mode::empty(), ResolveFlags::BENEATH).map(drop);
            assert_eq!(opened, Err(Errno::NOSYS));
        }
        Ok(_) => {
            apply_filter(&filter()).expect("filtered");
            let mut command = this_program();
            let command = command.args(["workspace::", "--test-threads", "2"]);
            panic!("{}", command.env(PART, "filtered").exec());
        }
        Err(_) => {
            let mut command = this_program();
            let command = command.args(["--exact", THIS, "--nocapture"]);
            let output = command.env(PART, "filters").output().expect("started");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            print!("{text}{}", String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success() && text.contains(&format!("{THIS} ... ok")));
            assert!(text.contains("workspace::tests::no_way_leads_outside ... ok"));
        }
    }
}

fn filter() -> BpfProgram {
    let filter = SeccompFilter::new(
        BTreeMap::from([(libc::SYS_openat2, vec![])]),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::ENOSYS.cast_unsigned()),
        std::env::consts::ARCH.try_into().expect("known"),
    );
    filter.expect("a filter").try_into().expect("compiled")
}
