//! W1 and W1H: what a step costs.

use super::{Conditions, Sample, check, sample, timed};
use crate::{error::Error, script::Script, stats, subject::Setup, subject::Subject};

/// Executions before the measured ones, and the measured ones.
const RUNS: (usize, usize) = (20, 100);

/// Runs 20 steps with one tool call each, again and again.
pub(super) async fn measure<S: Subject>(
    conditions: &Conditions,
    hooks: usize,
) -> Result<Sample, Error> {
    let setup = Setup { hooks, ..conditions.setup(Script::steps(20)) };
    let subject = S::open(setup.clone())?;
    for _ in 0..RUNS.0 {
        timed(&subject, &setup).await?;
    }
    setup.probe.take();
    let runs = conditions.executions.unwrap_or(RUNS.1);
    let (mut walls, mut cpus) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let (wall, cpu) = timed(&subject, &setup).await?;
        walls.push(wall);
        cpus.push(cpu);
    }
    let calls = setup.script.total_calls() * runs;
    check("tool calls", calls, setup.probe.take().len())?;
    let steps = setup.script.steps as f64;
    let step = |times: &[f64]| stats::median(times).unwrap_or_default() * 1e6 / steps;
    Ok(sample([("wall_us_per_step", step(&walls)), ("cpu_us_per_step", step(&cpus))]))
}
