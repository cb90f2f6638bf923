//! `cargo xtask api`: the public API of each library, listed in `docs/api`.
//!
//! A change of the face of a crate is then seen in review.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cargo;

/// The libraries that programs use.
const CRATES: &[&str] = &[
    "legwork",
    "legwork-agent",
    "legwork-clock",
    "legwork-account",
    "legwork-inference",
    "legwork-memory",
    "legwork-context",
    "legwork-core",
    "legwork-definitions",
    "legwork-lifecycle",
    "legwork-models",
    "legwork-orchestrate",
    "legwork-worker",
    "legwork-acp",
    "legwork-output",
    "legwork-port",
    "legwork-runtime",
    "legwork-session",
    "legwork-store",
    "legwork-testkit",
    "legwork-tools",
    "legwork-toolset",
    "legwork-web",
    "legwork-otel",
    "legwork-mcp",
    "legwork-mcp-server",
];

/// What lists it, and the version that reads what rustdoc of our Rust version writes.
const TOOL: &str = "cargo-public-api";
const VERSION: &str = "0.52.0";

/// Compares the lists with the API as it is; with `--write` writes them.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let write = match args {
        [] => false,
        [flag] if flag == "--write" => true,
        _ => return Err("takes nothing but --write".to_owned()),
    };
    let target = cargo::metadata()?.target_directory;
    let Some(tool) = installed(&target.join("tools")) else {
        println!("{TOOL} {VERSION} cannot be installed: skipping the lists of public APIs");
        return Ok(());
    };
    describe()?;
    let folder = cargo::root().join("docs/api");
    let mut changed = Vec::new();
    for name in CRATES {
        let api = list(&tool, name, &target)?;
        let file = folder.join(format!("{name}.txt"));
        let kept = fs::read_to_string(&file).unwrap_or_default();
        if kept == api {
            continue;
        }
        if write {
            let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, &api));
            written.map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        }
        println!("{name}: {}", difference(&kept, &api));
        changed.push(*name);
    }
    match changed.as_slice() {
        [] => println!("{} lists are as the code is", CRATES.len()),
        _ if write => println!("written: {}", changed.join(", ")),
        _ => {
            let changed = changed.join(", ");
            return Err(format!(
                "the public API of {changed} changed: if it is meant to, run `cargo xtask api --write`"
            ));
        }
    }
    Ok(())
}

/// Where the tool is, installed if it was not; none if it cannot be.
fn installed(folder: &Path) -> Option<PathBuf> {
    let tool = folder.join("bin").join(TOOL);
    if tool.exists() {
        return Some(tool);
    }
    println!("installing {TOOL} {VERSION} into {}", folder.display());
    let mut install = cargo::command();
    install.args(["install", TOOL, "--version", VERSION, "--locked", "--root"]).arg(folder);
    let status = install.status().ok()?;
    (status.success() && tool.exists()).then_some(tool)
}

/// Has rustdoc describe all libraries, with all of their features, in one run: what they share is
/// built once.
fn describe() -> Result<(), String> {
    let mut doc = cargo::command();
    // As the pages are built: what both need is there already.
    doc.args(["doc", "--quiet", "--no-deps", "--workspace", "--lib", "--all-features"]);
    // The JSON of rustdoc is not stable; the version of the tool says which it reads.
    doc.env("RUSTC_BOOTSTRAP", "1");
    doc.env("RUSTDOCFLAGS", "-Z unstable-options --output-format json --cap-lints allow");
    let status = doc.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err("rustdoc failed; its messages stand above".to_owned()),
    }
}

/// The public API of a crate that rustdoc described, an item a line.
fn list(tool: &Path, name: &str, target: &Path) -> Result<String, String> {
    let json = target.join("doc").join(format!("{}.json", name.replace('-', "_")));
    let mut list = Command::new(tool);
    // It is a subcommand of cargo: the name of that comes first. Three times: without blanket,
    // auto-trait and derived implementations.
    list.args(["public-api", "-sss", "--rustdoc-json"]).arg(json).stderr(Stdio::inherit());
    let output = list.output().map_err(|error| format!("cannot start {TOOL}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{TOOL} cannot list {name}; its messages stand above"));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{TOOL} wrote no text: {error}"))
}

/// How many lines came and went.
fn difference(before: &str, after: &str) -> String {
    let lines =
        |text: &str| text.lines().map(str::to_owned).collect::<std::collections::BTreeSet<_>>();
    let (before, after) = (lines(before), lines(after));
    for line in before.difference(&after).take(10) {
        println!("  - {line}");
    }
    for line in after.difference(&before).take(10) {
        println!("  + {line}");
    }
    format!(
        "{} items came, {} went",
        after.difference(&before).count(),
        before.difference(&after).count()
    )
}
