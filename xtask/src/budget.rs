//! `cargo xtask budget`: what the project allows itself, measured.

use std::path::Path;

use crate::outside::Outside;
use crate::sources::{self, Source};
use crate::{cargo, no_arguments};

mod sizes;

/// Crates in the pure core's normal tree, itself included, stay under this.
const CORE_CRATES: usize = 20;
/// Crates in the normal tree of `tests/hello-agent`, itself included, stay under this.
const HELLO_CRATES: usize = 150;
/// The crate whose features choose what a program has.
const FACADE: &str = "legwork";
/// A file past this many lines is a question, and is listed.
const LONG_FILE: usize = 400;
/// A file past this many lines is to be split along a face.
const TOO_LONG_FILE: usize = 600;
/// The file that holds the loop stays under this many lines.
const LOOP_FILE_LINES: usize = 300;
/// The loop.
const LOOP_FILE: &str = "crates/legwork-runtime/src/run.rs";
/// The runtime, counted whole but for its tests, stays under this many lines.
const RUNTIME_LINES: usize = 5_000;
/// What a person reads to know how a session runs.
const RUNTIME: &str = "crates/legwork-runtime/src/";
/// The stripped release command stays under this many bytes.
///
/// It had 27.0 million when five wires, compressed answers and typed output had come; 3.6 million
/// of them are the table of the tokenizer that `legwork context` counts with. Stores on Postgres
/// and Redis, telemetry, editors, and MCP in both directions with logins made it 42.8 million, and
/// 36.0 million once what waits for people and networks was optimised for size.
const COMMAND_BYTES: u64 = 38_000_000;

/// Prints each budget with what it came to, and fails on one that is overspent; with `--sizes`,
/// prints what each feature adds to a program.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    if let [flag, features @ ..] = args
        && flag == "--sizes"
    {
        return sizes::run(features);
    }
    no_arguments(args)?;
    let mut over = Vec::new();
    crates(&mut over)?;
    features()?;
    let sources = sources::all()?;
    files(&sources, &mut over);
    the_loop(&sources, &mut over);
    the_command(&mut over)?;
    if over.is_empty() {
        println!("budget: kept");
        return Ok(());
    }
    Err(format!("overspent:\n  {}", over.join("\n  ")))
}

fn crates(over: &mut Vec<String>) -> Result<(), String> {
    let mut in_core = cargo::command();
    in_core.current_dir(cargo::root().join("crates/legwork-core"));
    let core = cargo::tree(&mut in_core)?.len();
    let hello = cargo::tree(&mut Outside::copy_of("hello-agent")?.cargo())?.len();
    for (what, count, limit) in [
        ("crates of legwork-core", core, CORE_CRATES),
        ("crates of a hello-agent", hello, HELLO_CRATES),
    ] {
        println!("{what:<44} {count:>9}  under {limit}");
        if count >= limit {
            over.push(format!(
                "{what}: {count}, to stay under {limit}; `cargo tree -e normal` shows them"
            ));
        }
    }
    Ok(())
}

/// Prints how many crates each feature of the façade adds to those that it has with none.
fn features() -> Result<(), String> {
    let metadata = cargo::metadata()?;
    let facade = metadata.packages.iter().find(|package| package.name == FACADE);
    let facade = facade.ok_or_else(|| format!("there is no package {FACADE}"))?;
    let crates = |features: &str| {
        let mut asked = cargo::command();
        asked.current_dir(cargo::root().join("crates").join(FACADE));
        cargo::tree_of(&mut asked, &["--no-default-features", "--features", features])
    };
    let none = crates("")?;
    println!("{:<44} {:>9}", "crates of the facade without features", none.len());
    for feature in facade.features.keys().filter(|name| *name != "default") {
        let added = crates(feature)?.difference(&none).count();
        println!("  and with {feature:<33} {:>9}", format!("+{added}"));
    }
    Ok(())
}

fn files(sources: &[Source], over: &mut Vec<String>) {
    let mut code: Vec<_> = sources.iter().filter(|source| !source.is_test()).collect();
    code.sort_by_key(|source| source.lines());
    let at = |share: usize| {
        let place = (code.len().saturating_sub(1)) * share / 100;
        code.get(place).map_or(0, |source| source.lines())
    };
    let shape = format!("{} files, median {}, p90 {}", code.len(), at(50), at(90));
    println!("{:<44} {shape}", "lines of a code file");
    for source in code.iter().rev() {
        let lines = source.lines();
        if lines > TOO_LONG_FILE {
            over.push(format!(
                "{}: {lines} lines, at most {TOO_LONG_FILE}; split it along a face",
                source.path
            ));
        }
        if lines > LONG_FILE {
            println!("  past {LONG_FILE}: {:>5}  {}", lines, source.path);
        }
    }
}

fn the_loop(sources: &[Source], over: &mut Vec<String>) {
    let mut lines_of = |place: &str| {
        let found = sources.iter().filter(|one| one.path.starts_with(place) && !one.is_test());
        let lines = found.map(Source::lines).sum::<usize>();
        if lines == 0 {
            over.push(format!(
                "{place} is not there; if it moved, name its new place in xtask/src/budget.rs"
            ));
        }
        lines
    };
    let own = lines_of(LOOP_FILE);
    let total = lines_of(RUNTIME);
    println!("{:<44} {own:>9}  under {LOOP_FILE_LINES}", "lines of the loop");
    println!("{:<44} {total:>9}  under {RUNTIME_LINES}", "lines of the runtime");
    for (what, lines, limit) in
        [("the loop", own, LOOP_FILE_LINES), ("the runtime", total, RUNTIME_LINES)]
    {
        if lines >= limit {
            over.push(format!("lines of {what}: {lines}, to stay under {limit}"));
        }
    }
}

fn the_command(over: &mut Vec<String>) -> Result<(), String> {
    let path = cargo::metadata()?.target_directory.join("release/legwork");
    let what = "bytes of the release command";
    let Some(bytes) = size(&path) else {
        println!("{what:<44} not built (cargo build --release shows it)");
        return Ok(());
    };
    println!("{what:<44} {bytes:>9}  under {COMMAND_BYTES}");
    if bytes >= COMMAND_BYTES {
        over.push(format!("{what}: {bytes}, to stay under {COMMAND_BYTES}"));
    }
    Ok(())
}

fn size(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|facts| facts.len())
}
