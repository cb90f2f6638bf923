//! W5: a long answer, streamed.

use super::{Conditions, Sample, sample, timed};
use crate::{
    api::Api,
    error::Error,
    script::Script,
    stats,
    subject::{Setup, Subject},
};

/// Answers before the measured ones, and the measured ones.
const RUNS: (usize, usize) = (10, 150);

/// Reads a streamed answer of 4,000 tokens, again and again.
pub(super) async fn measure<S: Subject>(
    conditions: &Conditions,
    api: Api,
) -> Result<Sample, Error> {
    let script = Script::steps(1).tokens(4000);
    let setup = Setup { api, streamed: true, ..conditions.setup(script) };
    let subject = S::open(setup.clone())?;
    for _ in 0..RUNS.0 {
        timed(&subject, &setup).await?;
    }
    let (mut walls, mut cpus) = (Vec::new(), Vec::new());
    for _ in 0..conditions.executions.unwrap_or(RUNS.1) {
        let (wall, cpu) = timed(&subject, &setup).await?;
        walls.push(wall);
        cpus.push(cpu);
    }
    Ok(sample([
        ("wall_ms", stats::median(&walls).unwrap_or_default() * 1e3),
        ("cpu_ms", stats::median(&cpus).unwrap_or_default() * 1e3),
    ]))
}
