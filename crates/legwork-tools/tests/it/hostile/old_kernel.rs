//! The same tools where the kernel, or a container's filter, does not know what they use.

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

use super::refusal::Refused;

/// The tests of the tools that touch files: what they may reach and what they say.
const TESTS: [&str; 7] =
    ["allowed::", "edit::", "list::", "read::", "search::", "write::", "hostile::old_kernel::is_"];
/// Those on hostile input, but for what measures its process or mounts.
const HOSTILE: [&str; 8] =
    ["binary::", "circle::", "empty::", "endings::", "long::", "names::", "permission::", "pipe::"];
/// Those that set up what is refused, or measure a process that they do not share.
const SKIPPED: [&str; 3] = ["sandbox::", "gigabyte", "what_shall_not_be_changed"];

fn all_pass_without(refused: Refused) {
    let mut arguments: Vec<_> = TESTS.into_iter().chain(HOSTILE).collect();
    arguments.extend(["--test-threads", "2"]);
    arguments.extend(SKIPPED.iter().flat_map(|skipped| ["--skip", skipped]));
    let mut command = refused.command(&arguments);
    let output = command.env(EXPECTED, format!("{refused:?}")).output().expect("started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "without {refused:?}");
    assert!(text.contains("hostile::old_kernel::is_refused ... ok"));
    let passed = text.rsplit_once("ok. ").and_then(|(_, rest)| rest.split_once(" passed"));
    let passed: usize = passed.expect("a count").0.parse().expect("a number");
    assert!(passed > 70, "{passed}");
}

/// Set where a call is to be refused.
const EXPECTED: &str = "LEGWORK_TOOLS_TEST_EXPECTED";

/// That the filter is there; by itself it does nothing.
#[test]
fn is_refused() {
    let Ok(expected) = std::env::var(EXPECTED) else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let unnamed = || {
        let flags = OFlags::TMPFILE | OFlags::WRONLY;
        openat(CWD, dir.path(), flags, Mode::from_raw_mode(0o600))
    };
    let (found, errno) = match expected.as_str() {
        "Openat2" => {
            let flags = ResolveFlags::BENEATH;
            (openat2(CWD, ".", OFlags::RDONLY, Mode::empty(), flags), Errno::NOSYS)
        }
        "Tmpfile" => (unnamed(), Errno::OPNOTSUPP),
        _ => {
            let file = std::fs::File::create(dir.path().join("a")).expect("made");
            let linked = std::fs::hard_link(dir.path().join("a"), dir.path().join("b"));
            let errno = linked.err().and_then(|error| Errno::from_io_error(&error));
            (errno.map_or(Ok(file.into()), Err), Errno::ACCESS)
        }
    };
    assert_eq!(found.map(drop), Err(errno));
}

#[test]
fn without_openat2_no_way_leads_outside() {
    all_pass_without(Refused::Openat2);
}

#[test]
fn without_files_that_have_no_name() {
    all_pass_without(Refused::Tmpfile);
}

#[test]
fn without_hard_links() {
    all_pass_without(Refused::Linkat);
}
