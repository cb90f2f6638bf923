//! `cargo xtask features`: crates with features build with each of them alone, and with none.
//!
//! The workspace enables all of them at once, so only this notices that one uses what another
//! brings, or that something is unused without it.

use std::collections::BTreeSet;
use std::process::Command;

use crate::cargo::{self, Package};
use crate::no_arguments;
use crate::outside::Outside;

#[cfg(test)]
mod tests;

/// Checks all of them, and runs the tests of the program that enables none.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    no_arguments(args)?;
    check()?;
    let status = tests()?.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err("a test of the program without features failed; its messages stand above".to_owned())
}

/// Lints each crate that has features with the default ones, with each alone, and with none.
pub(crate) fn check() -> Result<(), String> {
    let mut wrong = Vec::new();
    for package in &cargo::metadata()?.packages {
        for features in sets(package) {
            println!("{} {}", package.name, features.join(" "));
            let status = lint(&package.name, &features).status();
            if !status.map_err(|error| format!("cannot start cargo: {error}"))?.success() {
                wrong.push(format!("{} {}", package.name, features.join(" ")));
            }
        }
    }
    match wrong.as_slice() {
        [] => Ok(()),
        wrong => Err(format!("these do not build without warnings:\n  {}", wrong.join("\n  "))),
    }
}

/// The arguments for each set of features to check; none for a crate without features.
fn sets(package: &Package) -> Vec<Vec<&str>> {
    const NONE: &str = "--no-default-features";
    let names: BTreeSet<_> = package.features.keys().map(String::as_str).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let alone = names.iter().filter(|name| **name != "default");
    let mut sets = vec![vec![NONE]];
    sets.extend(alone.map(|name| vec![NONE, "--features", name]));
    sets.extend(names.contains("default").then(Vec::new));
    sets
}

fn lint(package: &str, features: &[&str]) -> Command {
    let mut command = cargo::command();
    command.args(["clippy", "--quiet", "--package", package]).args(features);
    command.args(["--", "--deny", "warnings"]);
    command
}

/// The command that runs the tests of the program that enables no feature.
pub(crate) fn tests() -> Result<Command, String> {
    let mut command = Outside::copy_of("bare")?.cargo();
    command.args(["test", "--no-fail-fast", "--test", "it"]);
    Ok(command)
}
