//! `cargo xtask acp`: the client library of the Agent Client Protocol drives the built command.
//!
//! The library comes from npm into `target/acp`; `acp/session.mjs` is the editor.

use std::fs;
use std::process::Command;

use crate::npm::{self, succeeds};
use crate::{cargo, needs, system};

/// The library and what it stands on, as npm takes them.
const PACKAGES: &[&str] = &["@agentclientprotocol/sdk@2.4.0", "zod@4.6.7"];
const SCRIPT: &str = include_str!("../acp/session.mjs");
const PROGRAMS: &[needs::Need] = &[
    ("node", "nodejs", "the session with the client library of the Agent Client Protocol"),
    ("npm", "npm", "the session with the client library of the Agent Client Protocol"),
];

/// Installs the library if it is not there, and plays the session.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    crate::no_arguments(args)?;
    needs::install_for(PROGRAMS);
    if !system::has("node") || !system::has("npm") {
        // What is skipped was said.
        return Ok(());
    }
    let program = cargo::build(&["--package", "legwork-cli"])?;
    let folder = cargo::metadata()?.target_directory.join("acp");
    npm::install(&folder, PACKAGES)?;
    // Node looks for the library beside the script.
    let script = folder.join("session.mjs");
    fs::write(&script, SCRIPT).map_err(|error| format!("{}: {error}", script.display()))?;
    let mut node = Command::new("node");
    node.arg(&script).arg(program).arg(folder.join("scene"));
    succeeds(&mut node, "the session did not go as it should; what was expected stands above")?;
    println!("acp: the client library drove a whole session");
    Ok(())
}
