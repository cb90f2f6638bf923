//! `cargo xtask outage`: a model's server fails for minutes, and the task is finished all the same.
//!
//! The tests are those of the normal suite, `crates/legwork-cli/tests/it/outage.rs`, where
//! everything is a thousand times faster.

use crate::cargo;

/// Runs the command against servers that fail for as long as real ones do.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    crate::no_arguments(args)?;
    println!("servers answer 503, hang up, drop streams and are gone, in all three minutes");
    let mut tests = cargo::command();
    tests.args(["test", "--package", "legwork-cli", "--test", "it", "outage::"]);
    tests.args(["--", "--nocapture", "--test-threads", "5"]);
    tests.env("LEGWORK_OUTAGE", "real");
    let status = tests.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err("a run did not outlast its server; see above for which".to_owned()),
    }
}
