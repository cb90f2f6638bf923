//! `cargo xtask bench`: builds for release and lets the harness measure.

use std::env::consts::EXE_SUFFIX;
use std::process::Command;

use crate::{cargo, needs};

/// Builds the command and the harness, then runs it with these arguments.
///
/// # Errors
/// A build failed, or the harness did: it says why itself.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    needs::install_for(&[
        ("rg", "ripgrep", "the workload SEARCH"),
        ("valgrind", "valgrind", "counts of instructions"),
        ("strace", "strace", "counts of system calls"),
    ]);
    needs::install_servers();
    // The library is measured as a user's program has it, the command as it is released.
    build("profiling", "legwork-bench")?;
    build("release", "legwork-cli")?;
    let target = cargo::metadata()?.target_directory;
    let executable = |profile, name| target.join(profile).join(format!("{name}{EXE_SUFFIX}"));
    let mut harness = Command::new(executable("profiling", "legwork-bench"));
    harness.arg("run").arg("--legwork").arg(executable("release", "legwork"));
    harness.arg("--dir").arg(target.join("bench")).args(args);
    succeed(&mut harness, "the harness")
}

fn build(profile: &str, package: &str) -> Result<(), String> {
    let mut build = cargo::command();
    build.args(["build", "--profile", profile, "--package", package]);
    succeed(&mut build, "a build")
}

/// Runs a command with its output on ours.
fn succeed(command: &mut Command, what: &str) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("cannot start {what}: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{what} ended with {status}")),
    }
}
