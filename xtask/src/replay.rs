//! `cargo xtask replay`: recorded answers, read as live ones are.
//!
//! The reading is `examples/replay.rs`, which needs the models' crates; keeping it
//! out of here lets every other subcommand build without them.

use std::process::Command;

use crate::cargo;

/// Builds the reader and gives it the file.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let program = cargo::build(&["--package", "xtask", "--example", "replay"])?;
    let status = Command::new(&program)
        .args(args)
        .status()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if status.success() {
        return Ok(());
    }
    Err("read no further; why stands above".to_owned())
}
