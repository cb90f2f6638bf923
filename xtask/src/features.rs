//! `cargo xtask features`: each crate builds by itself, and with each of its features alone.
//!
//! The workspace enables all features at once, so only this notices that a crate uses what another
//! one enables, that a feature uses what another one brings, or that something is unused without
//! one.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Instant;

use crate::cargo::{self, Package};
use crate::draw;
use crate::outside::Outside;

#[cfg(test)]
mod tests;

/// Features that are many for one crate.
const MANY: usize = 6;

/// Checks all of them, or a sample, and runs the tests of the program that enables none.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    check(wanted(args)?)?;
    let status = tests()?.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err("a test of the program without features failed; its messages stand above".to_owned())
}

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Everything.
    All,
    /// A third of the features of a crate that has many, and the tests and examples of a third of
    /// the crates, which take the most time: others at each commit.
    Some,
}

fn wanted(args: &[String]) -> Result<Which, String> {
    match args {
        [] => Ok(Which::All),
        [flag] if flag == "--sample" => Ok(Which::Some),
        other => Err(format!("features takes --sample or nothing, not `{}`", other.join(" "))),
    }
}

/// Builds each crate with its default features, with each alone, and with none.
pub(crate) fn check(which: Which) -> Result<(), String> {
    let (mut wrong, seed) = (Vec::new(), draw::seed());
    for package in &cargo::metadata()?.packages {
        for features in sets(package, which, &seed) {
            let set = format!("{} {}", package.name, features.join(" "));
            let start = Instant::now();
            let built = builds(&mut build(&package.name, &features))?;
            println!("{:>6.1} s  {set}", start.elapsed().as_secs_f64());
            if !built {
                wrong.push(set);
            }
        }
    }
    match wrong.as_slice() {
        [] => Ok(()),
        wrong => Err(format!("these do not build without warnings:\n  {}", wrong.join("\n  "))),
    }
}

/// The arguments for each set of features to check; tests and examples are built with the default
/// ones, if they are.
fn sets<'p>(package: &'p Package, which: Which, seed: &str) -> Vec<Vec<&'p str>> {
    const NONE: &str = "--no-default-features";
    let names: BTreeSet<_> = package.features.keys().map(String::as_str).collect();
    let with_tests = which == Which::All || draw::lot(seed, &package.name).is_multiple_of(3);
    let all = if with_tests { vec!["--all-targets"] } else { Vec::new() };
    if names.is_empty() {
        return vec![all];
    }
    let mut alone: Vec<_> = names.into_iter().filter(|name| *name != "default").collect();
    if which == Which::Some && alone.len() > MANY {
        alone.sort_by_key(|name| draw::lot(seed, name));
        alone.truncate(alone.len().div_ceil(3));
    }
    let mut sets = vec![vec![NONE]];
    sets.extend(alone.into_iter().map(|name| vec![NONE, "--features", name]));
    sets.push(all);
    sets
}

/// Checks types only: clippy, which takes half as long again, lints the workspace as a whole.
fn build(package: &str, features: &[&str]) -> Command {
    let mut command = cargo::command();
    command.args(["check", "--quiet", "--package", package]).args(features);
    command
}

/// Runs a quiet build, and shows what it prints; whether that is nothing, and no error.
fn builds(command: &mut Command) -> Result<bool, String> {
    let output = command.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stderr);
    eprint!("{printed}");
    Ok(output.status.success() && printed.trim().is_empty())
}

/// The command that runs the tests of the program that enables no feature.
pub(crate) fn tests() -> Result<Command, String> {
    let mut command = Outside::copy_of("bare")?.cargo();
    command.args(["test", "--no-fail-fast", "--test", "it"]);
    Ok(command)
}
