//! How many instructions a test takes: work that copies nothing, without a clock.

use std::env;
use std::process::Command;

/// The variable that says, under valgrind, how much is to be done.
const SIZE: &str = "LEGWORK_TEST_SIZE";

/// How much is to be done, if this is what is counted.
pub(crate) fn size() -> Option<u32> {
    env::var(SIZE).ok()?.parse().ok()
}

/// The instructions of a test, alone, that is to do so much; none without valgrind.
pub(crate) fn instructions(test: &str, size: u32) -> Option<u64> {
    let mut counted = Command::new("valgrind");
    counted.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    counted.arg(env::current_exe().unwrap()).args(["--exact", test]).env(SIZE, size.to_string());
    let output = counted.output().ok()?;
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test} of {size}: {told}");
    let count = told.lines().find_map(|line| line.split_once("Collected : "));
    Some(count.unwrap().1.trim().parse().unwrap())
}
