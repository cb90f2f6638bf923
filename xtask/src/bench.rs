//! `cargo xtask bench`: builds for release and lets the harness measure.

use std::env::consts::EXE_SUFFIX;
use std::process::Command;

use crate::{cargo, needs};

/// Builds the command and the harness, then runs it with these arguments.
///
/// # Errors
/// A build failed, or the harness did: it says why itself.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    needs::install_for(&[("rg", "ripgrep", "the workload SEARCH")]);
    // One build for both: the command then lies beside the harness.
    let mut build = cargo::command();
    build.args(["build", "--release", "--quiet"]);
    build.args(["--package", "legwork-bench", "--package", "legwork-cli"]);
    succeed(&mut build, "the release build")?;
    let target = cargo::metadata()?.target_directory;
    let harness = target.join("release").join(format!("legwork-bench{EXE_SUFFIX}"));
    let mut harness = Command::new(harness);
    harness.arg("run").arg("--dir").arg(target.join("bench")).args(args);
    succeed(&mut harness, "the harness")
}

/// Runs a command with its output on ours.
fn succeed(command: &mut Command, what: &str) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("cannot start {what}: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{what} ended with {status}")),
    }
}
