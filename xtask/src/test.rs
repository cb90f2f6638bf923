//! `cargo xtask test`: every check that CI makes, one after the other.
//!
//! A failed stage does not keep the next ones from running: one run tells all.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::servers::Servers;
use crate::{acp, api, budget, cargo, features, layers, mcp, needs, platforms, rules, stranger};

mod counts;
mod skipped;

pub(crate) use counts::Counts;

struct Stage {
    name: &'static str,
    run: fn(&[String]) -> Result<Counts, String>,
}

/// Quick ones first, then what compiles.
const STAGES: &[Stage] = &[
    Stage {
        name: "needs",
        run: |_| {
            needs::install();
            Ok(Counts::default())
        },
    },
    Stage { name: "format", run: |_| plain(cargo::command().args(["fmt", "--all", "--check"])) },
    Stage { name: "layers", run: |_| layers::run(&[]).map(|()| Counts::default()) },
    Stage { name: "rules", run: |_| rules::run(&[]).map(|()| Counts::default()) },
    Stage { name: "lints", run: |_| plain(&mut lints()) },
    Stage { name: "features", run: |_| features() },
    Stage { name: "platforms", run: |_| platforms::run(&[]).map(|()| Counts::default()) },
    Stage { name: "tests", run: all_tests },
    Stage { name: "broken", run: |_| rules::broken::sample() },
    Stage {
        name: "doctests",
        run: |_| counts::of(cargo::command().args(["test", "--workspace", "--doc"])),
    },
    Stage { name: "stranger", run: |_| counts::of(&mut stranger::tests()?) },
    Stage { name: "acp", run: |_| acp::run(&[]).map(|()| Counts::default()) },
    Stage { name: "mcp", run: |_| mcp::run(&[]).map(|()| Counts::default()) },
    Stage { name: "docs", run: |_| docs() },
    Stage { name: "api", run: |_| api::run(&[]).map(|()| Counts::default()) },
    Stage { name: "budget", run: |_| budget::run(&[]).map(|()| Counts::default()) },
];

/// What became of a stage.
struct Done {
    name: &'static str,
    took: Duration,
    result: Result<Counts, String>,
}

/// Runs all stages, or with a filter only the tests that match it.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let chosen = |stage: &&Stage| args.is_empty() || stage.name == "tests";
    let done: Vec<_> = STAGES.iter().filter(chosen).map(|stage| perform(stage, args)).collect();
    report(&done);
    let failed: Vec<_> = done.iter().filter_map(failure).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(failed.join("\n"))
}

fn perform(stage: &Stage, args: &[String]) -> Done {
    println!("\n== {}", stage.name);
    let start = Instant::now();
    let result = (stage.run)(args);
    if let Err(error) = &result {
        println!("{} failed: {error}", stage.name);
    }
    Done { name: stage.name, took: start.elapsed(), result }
}

fn failure(done: &Done) -> Option<String> {
    match &done.result {
        Ok(counts) if counts.failed == 0 => None,
        Ok(counts) => Some(format!("{}: {} failed", done.name, counts.failed)),
        Err(error) => Some(format!("{}: {error}", done.name)),
    }
}

fn report(done: &[Done]) {
    println!();
    let mut counts = Counts::default();
    for stage in done {
        let word = if failure(stage).is_some() { "FAILED" } else { "ok" };
        println!("{:<10} {word:<7} {:>7.1} s", stage.name, stage.took.as_secs_f64());
        if let Ok(more) = &stage.result {
            counts += *more;
        }
    }
    println!("{counts}");
}

fn lints() -> Command {
    let mut command = cargo::command();
    command.args(["clippy", "--workspace", "--all-targets"]);
    command.args(["--", "--deny", "warnings"]);
    command
}

fn features() -> Result<Counts, String> {
    features::check(features::Which::Some)?;
    counts::of(&mut features::tests()?)
}

/// Builds all pages, and those of the façade without a feature.
fn docs() -> Result<Counts, String> {
    let build = |args: &[&str]| {
        let mut command = cargo::command();
        command.args(["doc", "--no-deps"]).args(args).env("RUSTDOCFLAGS", "--deny warnings");
        plain(&mut command)
    };
    build(&["--package", "legwork", "--no-default-features"])?;
    build(&["--workspace", "--all-features"])
}

/// Runs the tests; those that skip what cannot be tested here are told, and counted as
/// skipped.
fn all_tests(filter: &[String]) -> Result<Counts, String> {
    let mut command = cargo::command();
    let servers = Servers::start()?;
    servers.tell(&mut command);
    if !has_nextest() {
        println!("cargo-nextest is not installed: `cargo test` runs the tests, more slowly");
        println!("and does not tell which of them skip something");
        command.args(["test", "--workspace", "--all-targets", "--no-fail-fast"]).args(filter);
        return counts::of(&mut command);
    }
    // It is below the workspace wherever the target directory is.
    let report = cargo::root().join("target/nextest/xtask/junit.xml");
    // One of an earlier run is not read for this one.
    let _ = std::fs::remove_file(&report);
    command.args(["nextest", "run", "--profile", "xtask", "--workspace", "--no-fail-fast"]);
    let mut counts = counts::of(command.args(filter))?;
    let skipped = skipped::of(&report)?;
    for one in &skipped {
        println!("skipped {one}");
    }
    counts.skip(skipped.len());
    Ok(counts)
}

pub(crate) fn has_nextest() -> bool {
    let output = cargo::command().args(["nextest", "--version"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// Runs a check that counts no tests; what it says goes to the terminal.
fn plain(command: &mut Command) -> Result<Counts, String> {
    let line = counts::line_of(command);
    let status = command.status().map_err(|error| format!("cannot start `{line}`: {error}"))?;
    if status.success() {
        return Ok(Counts::default());
    }
    Err(format!("`{line}` failed; its messages stand above"))
}
