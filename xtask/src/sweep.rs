//! `cargo xtask sweep`: a run of an agent, killed or failed at each place, on each store.
//!
//! The tests are those of the normal suite, `crates/legwork/tests/sweep`, which take a few cases;
//! here they take more, or all, and say how far they are.

use crate::{cargo, seeded};

#[cfg(test)]
mod tests;

/// The stores that there are.
const STORES: [&str; 4] = ["sqlite", "jsonl", "postgres", "redis"];

/// Cases of each kind of fault that are taken unless all are asked for.
const SAMPLE: u64 = 12;

/// What is said about arguments that there are not.
const USAGE: &str = "--store sqlite|jsonl|postgres|redis, --full, --seed S and --case STORE/FAULT";

/// Which cases are run.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    /// A store, `all`, or one case.
    wanted: String,
    is_full: bool,
    seed: Option<u64>,
}

/// Builds the tests and lets them sweep.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let plan = Plan::read(args)?;
    let mut tests = cargo::command();
    tests.args(["test", "--package", "legwork", "--test", "sweep", "whole::"]);
    tests.args(["--", "--nocapture"]);
    tests.env("LEGWORK_SWEEP", &plan.wanted);
    tests.env("LEGWORK_SWEEP_SEED", plan.seed.unwrap_or_else(seeded::fresh).to_string());
    if !plan.is_full {
        tests.env("LEGWORK_SWEEP_SAMPLE", SAMPLE.to_string());
    }
    let status = tests.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err("a case does not hold; see above for which, and how to run it again".into()),
    }
}

impl Plan {
    fn read(args: &[String]) -> Result<Self, String> {
        let mut plan = Self { wanted: "all".to_owned(), is_full: false, seed: None };
        let mut args = args.iter();
        while let Some(flag) = args.next() {
            match flag.as_str() {
                "--store" => plan.wanted = store(args.next())?.to_owned(),
                "--case" => plan.wanted = case(args.next())?.to_owned(),
                "--full" => plan.is_full = true,
                "--seed" => plan.seed = Some(seeded::number(flag, &mut args)?),
                other => return Err(format!("takes {USAGE}, not `{other}`")),
            }
        }
        Ok(plan)
    }
}

/// The name of a store.
fn store(name: Option<&String>) -> Result<&str, String> {
    let name = name.map_or("", String::as_str);
    match STORES.contains(&name) {
        true => Ok(name),
        false => Err(format!("--store wants one of {}, not `{name}`", STORES.join(", "))),
    }
}

/// A case, as a sweep that failed printed it.
fn case(text: Option<&String>) -> Result<&str, String> {
    let text = text.map_or("", String::as_str);
    match text.split_once('/') {
        Some((name, _)) if STORES.contains(&name) => Ok(text),
        _ => Err(format!("--case wants STORE/FAULT as a sweep prints it, not `{text}`")),
    }
}
