//! `cargo xtask fuzz`: random and mutated inputs for what reads bytes from outside.
//!
//! The feeding is `examples/fuzz`, which needs the crates that are fed. It is watched from
//! here, so that an input that ends its process, or never ends itself, is named too.

use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};
use std::{fs, thread};

use crate::seeded;

#[cfg(test)]
mod tests;

/// Inputs of each target when nothing else is said.
const RUNS: u64 = 1_000_000;

/// No input takes longer, also on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

/// What is fed.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    seed: Option<u64>,
    runs: u64,
    targets: Vec<String>,
}

/// Builds the feeder, lets it feed and watches it.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let plan = Plan::read(args)?;
    let mark = std::env::temp_dir().join(format!("legwork-fuzz-{}", std::process::id()));
    let mut command =
        seeded::example("fuzz", &[plan.seed.unwrap_or_else(seeded::fresh), plan.runs]);
    command.arg(&mark).args(plan.targets);
    let child = command.spawn().map_err(|error| format!("cannot start cargo: {error}"))?;
    let ended = watch(child, &mark);
    let again = fs::read_to_string(&mark).unwrap_or_default();
    // It is in a folder for what is temporary.
    let _ = fs::remove_file(&mark);
    let status = ended.map_err(|problem| format!("{problem}\nagain: {}", again.trim_end()))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(1 | 2) => {
            Err("an input does not hold; which, and how to feed it again, stands above".into())
        }
        _ => Err(format!("an input ended its process\nagain: {}", again.trim_end())),
    }
}

/// Waits for the feeder, and ends it if it stays at one input.
fn watch(mut child: Child, mark: &PathBuf) -> Result<ExitStatus, String> {
    let (mut fed, mut since) = (String::new(), Instant::now());
    loop {
        let ended = child.try_wait().map_err(|error| format!("cannot wait: {error}"))?;
        if let Some(status) = ended {
            return Ok(status);
        }
        let now = fs::read_to_string(mark).unwrap_or_default();
        if now != fed {
            (fed, since) = (now, Instant::now());
        }
        if !fed.is_empty() && since.elapsed() > LONGEST {
            child.kill().map_err(|error| format!("cannot end it: {error}"))?;
            child.wait().map_err(|error| format!("cannot wait: {error}"))?;
            return Err(format!("an input takes longer than {LONGEST:?}"));
        }
        thread::sleep(Duration::from_millis(50));
    }
}

impl Plan {
    fn read(args: &[String]) -> Result<Self, String> {
        let mut plan = Self { seed: None, runs: RUNS, targets: Vec::new() };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--seed" => plan.seed = Some(seeded::number(arg, &mut args)?),
                "--runs" => plan.runs = seeded::number(arg, &mut args)?,
                flag if flag.starts_with('-') => {
                    return Err(format!("takes targets, --runs N and --seed S, not `{flag}`"));
                }
                target => plan.targets.push(target.to_owned()),
            }
        }
        Ok(plan)
    }
}
