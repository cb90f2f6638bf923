//! `cargo xtask fuzz`: random and mutated inputs for what reads bytes from outside.
//!
//! The feeding is `examples/fuzz`, which needs the crates that are fed.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::cargo;

#[cfg(test)]
mod tests;

/// Inputs of all targets together when nothing else is said.
const RUNS: u64 = 1_000_000;

/// What is fed.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    seed: Option<u64>,
    runs: u64,
    targets: Vec<String>,
}

/// Builds the feeder with the optimisations of a release, and lets it feed.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let plan = Plan::read(args)?;
    let mut command = cargo::command();
    command.args(["run", "--quiet", "--profile", "profiling"]);
    command.args(["--package", "xtask", "--example", "fuzz", "--"]);
    let numbers = [plan.seed.unwrap_or_else(fresh), plan.runs];
    command.args(numbers.map(|number| number.to_string())).args(plan.targets);
    let status = command.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => {
            Err("an input does not hold; which, and how to feed it again, stands above".into())
        }
    }
}

/// A first seed that no run before began with.
fn fresh() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_secs().wrapping_mul(1_000_000)
}

impl Plan {
    fn read(args: &[String]) -> Result<Self, String> {
        let mut plan = Self { seed: None, runs: RUNS, targets: Vec::new() };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            if !arg.starts_with('-') {
                plan.targets.push(arg.clone());
                continue;
            }
            let number = args.next().and_then(|number| number.parse().ok());
            let number = number.ok_or_else(|| format!("{arg} wants a whole number"))?;
            match arg.as_str() {
                "--seed" => plan.seed = Some(number),
                "--runs" => plan.runs = number,
                other => {
                    return Err(format!("takes targets, --runs N and --seed S, not `{other}`"));
                }
            }
        }
        Ok(plan)
    }
}
