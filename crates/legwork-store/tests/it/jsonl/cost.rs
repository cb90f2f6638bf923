//! What an append costs in system calls.

use std::process::{Command, Stdio};

use super::folder::Folder;

/// Steps that the child does between its two lines.
const STEPS: usize = 40;

/// Counts the calls of a child that appends entries one by one.
fn calls(folder: &Folder) -> Option<Vec<String>> {
    let log = folder.path().join("calls");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-e", "trace=file,desc", "-o"]).arg(&log);
    strace.arg(std::env::current_exe().unwrap());
    strace.args(["child::plays_its_role", "--exact", "--nocapture"]);
    strace.env(crate::child::ROLE, "steps").env(crate::child::DB, folder.root());
    let output = strace.stdin(Stdio::null()).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = std::fs::read_to_string(log).unwrap();
    let begin = log.find("child: begins").unwrap();
    let end = log.find("child: ends").unwrap();
    // Both are in the middle of lines of their own.
    let end = log[..end].rfind('\n').unwrap();
    let lines = log[begin..end].lines().skip(1);
    let call = |line: &str| {
        line.split_whitespace().nth(1)?.split_once('(').map(|(call, _)| call.to_owned())
    };
    Some(lines.filter_map(call).collect())
}

#[test]
fn s12_1_a_step_is_one_write_and_one_sync_of_the_journal() {
    let folder = Folder::new();
    let Some(calls) = calls(&folder) else {
        println!("skipped: there is no strace");
        return;
    };
    let count =
        |wanted: &[&str]| calls.iter().filter(|call| wanted.contains(&call.as_str())).count();
    assert_eq!(count(&["fdatasync", "fsync", "sync_file_range"]), STEPS, "{calls:?}");
    // The lines, and the head.
    assert_eq!(count(&["write", "pwrite64", "writev"]), 2 * STEPS, "{calls:?}");
    assert_eq!(count(&["openat", "rename", "unlink", "mkdir", "ftruncate"]), 0, "{calls:?}");
    assert!(calls.len() <= 12 * STEPS, "{} calls a step: {calls:?}", calls.len() / STEPS);
}
