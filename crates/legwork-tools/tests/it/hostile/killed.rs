//! Processes that are killed while they write.

use std::os::unix::process::ExitStatusExt as _;
use std::process::Output;

use legwork_port::{Cancellation, Tool as _};
use legwork_tools::changes::Change;
use serde_json::json;

use super::child::{Child, is_inside};
use super::refusal::Refused;
use super::{block_on, edited, overwritten, pause};
use crate::fixture::{Fixture, asked, bash_in, context, ok, refused};

const PLACE: &str = "LEGWORK_TOOLS_TEST_PLACE";
const CASE: &str = "LEGWORK_TOOLS_TEST_CASE";

/// Writes and edits in a place until it is killed at the call that the case names; by itself
/// it does nothing.
#[test]
fn victim() {
    let Ok(dir) = std::env::var(PLACE) else { return };
    assert!(is_inside());
    let case = std::env::var(CASE).expect("a case");
    let (tool, form, moment) = parts(&case);
    if form == "named" {
        Refused::Tmpfile.apply();
    }
    let call = match moment {
        "synced" => libc::SYS_fsync,
        _ => libc::SYS_renameat,
    };
    let calls: &[libc::c_long] =
        if moment == "renamed" { &[call, libc::SYS_renameat2] } else { &[call] };
    let workspace = legwork_tools::Workspace::open(dir).expect("opened");
    let work = || match tool {
        "write" => block_on(overwritten(&workspace, "new", "a secret needle\n")),
        _ => block_on(edited(&workspace, "old", json!([{ "old": "needle", "new": "found" }]))),
    };
    let text = pause::at_each(calls, work, |_| {
        let this = rustix::process::getpid();
        rustix::process::kill_process(this, rustix::process::Signal::KILL).expect("killed");
    });
    println!("[{text}]");
}

fn parts(case: &str) -> (&str, &str, &str) {
    let mut parts = case.split(' ');
    let mut next = || parts.next().expect("a part");
    (next(), next(), next())
}

fn killed(place: &Fixture, case: &str) -> Output {
    let victim = concat!(module_path!(), "::victim");
    Child::of(victim).with(PLACE, place.path("")).with(CASE, case).output()
}

#[tokio::test]
async fn nothing_is_half_written_and_what_is_left_is_hidden_and_swept() {
    for (case, leaves) in [
        ("write unnamed synced", 0),
        ("edit unnamed synced", 0),
        ("edit unnamed renamed", 1),
        ("write named synced", 1),
        ("write named renamed", 1),
        ("edit named synced", 1),
        ("edit named renamed", 1),
    ] {
        let place = Fixture::new();
        place.write("old", "a needle\n");
        let output = killed(&place, case);
        let killed = output.status.signal() == Some(libc::SIGKILL);
        assert!(killed, "{case}: {}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(place.bytes("old"), b"a needle\n", "{case}");
        assert!(!place.path("new").exists(), "{case}");
        let left = place.names().len() - 1;
        let unnamed = case.contains("unnamed");
        if unnamed && leaves == 0 && left == 1 {
            println!("skipped: {case}: no files without a name in {:?}", place.path(""));
            continue;
        }
        assert_eq!(left, leaves, "{case}: {:?}", place.names());
        assert_hidden(&place).await;
        // Another process sweeps it away when it writes there.
        ok!(place.write_tool(), { "path": "next", "content": "x" });
        assert_eq!(place.names(), ["next", "old"], "{case}");
    }
}

async fn assert_hidden(place: &Fixture) {
    assert_eq!(ok!(place.list(), { "all": true }), "old  9 B\n");
    let text = ok!(place.search(), { "pattern": "needle|found", "glob": ".*,*" });
    assert_eq!(text, "old\n1:a needle\n\n[1 match in 1 file]\n");
    let text = ok!(place.search(), { "pattern": "secret", "path": "." });
    assert_eq!(text, "[no matches in 1 file]\n");
    let text = refused!(place.read(), { "path": "gone" });
    assert_eq!(text, "there is no file gone; the root of the workspace holds old");
}

#[tokio::test]
async fn the_draft_of_a_process_at_work_is_left_alone() {
    let place = Fixture::new();
    let theirs = ".legwork-0123456789abcdef.tmp";
    place.write(theirs, "theirs");
    // Nor is what only looks like one.
    let others = [".legwork-0123456789abcde.tmp", ".legwork-0123456789ABCDEF.tmp", ".legwork-.tmp"];
    for other in others {
        place.write(other, "");
    }
    let held = std::fs::File::open(place.path(theirs)).expect("opened");
    let exclusive = rustix::fs::FlockOperation::LockExclusive;
    rustix::fs::flock(&held, exclusive).expect("locked");
    ok!(place.write_tool(), { "path": "a", "content": "x" });
    assert_eq!(place.bytes(theirs), b"theirs");
    for asked in [theirs, ".legwork-fedcba9876543210.tmp"] {
        let text =
            refused!(place.write_tool(), { "path": asked, "content": "x", "overwrite": true });
        assert_eq!(
            text,
            format!(
                "{asked} was not changed, since files of such names are drafts that are removed; give another name"
            )
        );
    }
    for other in others {
        assert!(place.path(other).exists(), "{other}");
    }
}

#[tokio::test]
async fn a_draft_that_goes_is_not_a_change_of_a_command() {
    let place = Fixture::new();
    place.write(".legwork-0123456789abcdef.tmp", "stale\n").write("kept", "old\n");
    let bash = bash_in(&place.path(""));
    let command = "rm .legwork-0123456789abcdef.tmp; echo new > kept";
    let cx = context(Cancellation::new());
    let outcome = bash.call(&asked(&bash, &json!({ "command": command })), &cx).await;
    assert!(outcome.is_ok(), "{}", outcome.to_text());
    let changes = Change::of(&cx.take_metadata());
    let paths: Vec<_> = changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["kept"]);
}
