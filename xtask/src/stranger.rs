//! `cargo xtask stranger`: a crate outside the workspace, as somebody else would write it.
//!
//! `tests/stranger` implements a tool, a store, a lifecycle and a sandbox on `legwork-port` alone.

use std::process::Command;

use crate::no_arguments;
use crate::outside::Outside;

/// Runs the stranger's own tests.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    no_arguments(args)?;
    let status = tests()?.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err("a test of the stranger's crate failed; its messages stand above".to_owned())
}

/// The command that runs its tests.
pub(crate) fn tests() -> Result<Command, String> {
    let mut command = Outside::copy_of("stranger")?.cargo();
    command.args(["test", "--no-fail-fast"]);
    Ok(command)
}
