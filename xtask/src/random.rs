//! `cargo xtask random`: random programs, played and held against the invariants.
//!
//! The playing is `examples/random.rs`, which needs the test kit; keeping it out of here
//! lets every other subcommand build without it.

use crate::seeded;

#[cfg(test)]
mod tests;

/// Programs that are played when nothing else is said.
const RUNS: u64 = 100_000;

/// Which programs are played.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    first: Option<u64>,
    runs: u64,
    minutes: u64,
}

/// Builds the player with the optimisations of a release, and lets it play.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let plan = Plan::read(args)?;
    let first = plan.first.unwrap_or_else(seeded::fresh);
    let mut command =
        seeded::example("random", &[first, plan.runs, plan.minutes.saturating_mul(60)]);
    let status = command.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => {
            Err("a program does not hold; which, and how to play it again, stands above".into())
        }
    }
}

impl Plan {
    /// A seed alone is one program, minutes alone as many as they last for.
    fn read(args: &[String]) -> Result<Self, String> {
        let (mut runs, mut seed, mut minutes) = (None, None, None);
        let mut args = args.iter();
        while let Some(flag) = args.next() {
            let place = match flag.as_str() {
                "--runs" => &mut runs,
                "--seed" => &mut seed,
                "--minutes" => &mut minutes,
                other => {
                    return Err(format!("takes --runs N, --seed S and --minutes M, not `{other}`"));
                }
            };
            *place = Some(seeded::number(flag, &mut args)?);
        }
        let default = match (seed, minutes) {
            (_, Some(_)) => u64::MAX,
            (Some(_), None) => 1,
            (None, None) => RUNS,
        };
        Ok(Self { first: seed, runs: runs.unwrap_or(default), minutes: minutes.unwrap_or(0) })
    }
}
