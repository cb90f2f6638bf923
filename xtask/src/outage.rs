//! `cargo xtask outage`: a model's server fails for three minutes, and the run waits for it.
//!
//! The tests are those of the normal suite, `crates/legwork-cli/tests/it/outage.rs`, where
//! everything is a thousand times faster.

use crate::cargo;

/// How long the servers fail.
const SECONDS: u32 = 180;

/// Runs the command against servers that fail for as long as real ones do.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    crate::no_arguments(args)?;
    println!("servers fail for {SECONDS} s; the command is to finish what it began");
    let mut tests = cargo::command();
    tests.args(["test", "--quiet", "--package", "legwork-cli", "--test", "it", "outage::"]);
    tests.args(["--", "--nocapture"]);
    tests.env("LEGWORK_OUTAGE_SECONDS", SECONDS.to_string());
    let status = tests.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err("a run did not outlast it; which, stands above".to_owned()),
    }
}
