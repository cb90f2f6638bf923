//! `cargo xtask layers`: which crate may know which, and that modules do not go round.
//!
//! Only normal and build edges count: what a crate's tests use reaches nobody.

use std::collections::{BTreeMap, BTreeSet};

use crate::cargo::{self, Metadata};

mod modules;
#[cfg(test)]
mod tests;

/// What a crate may depend on, of the workspace.
enum May {
    Only(&'static [&'static str]),
    Any,
}

/// The table of `ARCHITECTURE.md`, lowest layer first.
const TABLE: &[(&str, May)] = &[
    ("legwork-core", May::Only(&[])),
    ("legwork-macros", May::Only(&[])),
    ("legwork-account", May::Only(&["legwork-core"])),
    ("legwork-port", May::Only(&["legwork-core"])),
    ("legwork-clock", May::Only(CONTRACT)),
    ("legwork-memory", May::Only(&["legwork-port", "legwork-core", "legwork-clock"])),
    ("legwork-context", May::Only(CONTRACT)),
    ("legwork-toolset", May::Only(CONTRACT)),
    ("legwork-lifecycle", May::Only(CONTRACT)),
    ("legwork-session", May::Only(CONTRACT)),
    ("legwork-inference", May::Only(&["legwork-port", "legwork-core", "legwork-account"])),
    (
        "legwork-runtime",
        May::Only(&[
            "legwork-port",
            "legwork-core",
            "legwork-account",
            "legwork-context",
            "legwork-inference",
            "legwork-toolset",
            "legwork-lifecycle",
            "legwork-session",
        ]),
    ),
    (
        "legwork-agent",
        May::Only(&[
            "legwork-port",
            "legwork-core",
            "legwork-account",
            "legwork-context",
            "legwork-memory",
            "legwork-toolset",
            "legwork-lifecycle",
            "legwork-session",
            "legwork-runtime",
        ]),
    ),
    ("legwork-acp", May::Only(&["legwork-port", "legwork-core", "legwork-agent"])),
    ("legwork-mcp-server", May::Only(&["legwork-port", "legwork-core", "legwork-agent"])),
    ("legwork-worker", May::Only(&["legwork-port", "legwork-core", "legwork-agent"])),
    (
        "legwork-orchestrate",
        May::Only(&[
            "legwork-port",
            "legwork-core",
            "legwork-account",
            "legwork-session",
            "legwork-runtime",
            "legwork-agent",
        ]),
    ),
    ("legwork-models", May::Only(&["legwork-port", "legwork-core", "legwork-clock"])),
    ("legwork-output", May::Only(CONTRACT)),
    ("legwork-tools", May::Only(CONTRACT)),
    ("legwork-web", May::Only(&["legwork-port"])),
    ("legwork-otel", May::Only(CONTRACT)),
    ("legwork-mcp", May::Only(CONTRACT)),
    ("legwork-store", May::Only(CONTRACT)),
    ("legwork-definitions", May::Only(&["legwork-core"])),
    (
        "legwork-testkit",
        May::Only(&["legwork-port", "legwork-core", "legwork-runtime", "legwork-agent"]),
    ),
    (
        "legwork",
        May::Only(&[
            "legwork-port",
            "legwork-core",
            "legwork-runtime",
            "legwork-agent",
            "legwork-orchestrate",
            "legwork-worker",
            "legwork-acp",
            "legwork-models",
            "legwork-output",
            "legwork-tools",
            "legwork-web",
            "legwork-otel",
            "legwork-mcp",
            "legwork-mcp-server",
            "legwork-store",
            "legwork-definitions",
            "legwork-macros",
        ]),
    ),
    ("legwork-cli", May::Only(&["legwork"])),
    ("legwork-bench", May::Any),
    ("xtask", May::Any),
];

/// What everything in the second layer stands on.
const CONTRACT: &[&str] = &["legwork-port", "legwork-core"];

/// Crate -> the crates of the workspace that it is built with.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// Prints the table and fails on an edge that it does not have.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    crate::no_arguments(args)?;
    let edges = edges(&cargo::metadata()?);
    print(&edges);
    let mut wrong = violations(&edges);
    wrong.extend(modules::circles()?);
    if wrong.is_empty() {
        println!("layers: every edge is in the table, and no modules go round");
        return Ok(());
    }
    Err(format!(
        "{} against the table in xtask/src/layers.rs, or a circle of modules:\n  {}",
        wrong.len(),
        wrong.join("\n  ")
    ))
}

fn edges(metadata: &Metadata) -> Edges {
    let mut edges = Edges::new();
    for package in &metadata.packages {
        let known = edges.entry(package.name.clone()).or_default();
        for dependency in &package.dependencies {
            let is_dev = dependency.kind.as_deref() == Some("dev");
            if dependency.path.is_some() && !is_dev {
                known.insert(dependency.name.clone());
            }
        }
    }
    edges
}

fn violations(edges: &Edges) -> Vec<String> {
    let mut wrong = Vec::new();
    for (krate, known) in edges {
        match TABLE.iter().find(|(name, _)| name == krate) {
            None => wrong.push(format!("{krate} has no row: say there what it may know")),
            Some((_, May::Any)) => {}
            Some((_, May::Only(allowed))) => {
                let over = known.iter().filter(|to| !allowed.contains(&to.as_str()));
                wrong.extend(over.map(|to| {
                    format!("{krate} -> {to}: drop the dependency, or move what needs it up")
                }));
            }
        }
    }
    let gone = TABLE.iter().filter(|(name, _)| !edges.contains_key(*name));
    wrong.extend(gone.map(|(name, _)| format!("{name} has a row but is no crate: take it out")));
    wrong
}

fn print(edges: &Edges) {
    println!("{:<19} {:<50} has", "crate", "may know");
    for (krate, may) in TABLE {
        let allowed = match may {
            May::Any => "any".to_owned(),
            May::Only([]) => "nothing".to_owned(),
            May::Only(names) => short(names.iter().copied()),
        };
        let has = edges
            .get(*krate)
            .map_or_else(String::new, |known| short(known.iter().map(String::as_str)));
        println!("{krate:<19} {allowed:<50} {has}");
    }
}

/// `port core` for `legwork-port legwork-core`.
fn short<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names = names.map(|name| name.strip_prefix("legwork-").unwrap_or(name));
    names.collect::<Vec<_>>().join(" ")
}
