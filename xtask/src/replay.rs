//! `cargo xtask replay` and `requests`: what the wires read and write, as lines of JSON.
//!
//! Reading is `examples/replay.rs`, writing `examples/requests`, which need the models'
//! crates; keeping them out of here lets every other subcommand build without them.

use std::process::Command;

use crate::cargo;

/// Builds the reader and gives it the file.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    example("replay", args)
}

/// Builds what writes requests, and runs it.
pub(crate) fn requests(args: &[String]) -> Result<(), String> {
    example("requests", args)
}

fn example(name: &str, args: &[String]) -> Result<(), String> {
    let program = cargo::build(&["--package", "xtask", "--example", name])?;
    let status = Command::new(&program)
        .args(args)
        .status()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("{name} did not come to its end; why stands above"))
}
