//! W3: many executions at once.

use std::time::Instant;

use super::{Conditions, Sample, check, sample};
use crate::{
    error::Error,
    measure,
    script::{Script, TOKEN},
    stats,
    subject::{Setup, Subject},
};

/// Executions that warm up, and that are measured.
const EXECUTIONS: (usize, usize) = (50, 500);

/// How often these are measured; most connections are made the first time.
const RUNS: usize = 3;

/// Runs 500 executions of 5 steps at once, each answer 50 ms late.
pub(super) async fn measure<S: Subject>(conditions: &Conditions) -> Result<Sample, Error> {
    let setup = conditions.setup(Script::steps(5).latency(50));
    let subject = S::open(setup.clone())?;
    crowd(&subject, &setup, EXECUTIONS.0).await?;
    let (mut walls, cpu) = (Vec::new(), measure::cpu());
    for _ in 0..RUNS {
        let start = Instant::now();
        crowd(&subject, &setup, EXECUTIONS.1).await?;
        walls.push(start.elapsed().as_secs_f64());
    }
    let cpu = measure::cpu() - cpu;
    let steps = (RUNS * EXECUTIONS.1 * setup.script.steps) as f64;
    Ok(sample([
        ("wall_ms", stats::median(&walls).unwrap_or_default() * 1e3),
        ("cpu_us_per_step", cpu.as_secs_f64() * 1e6 / steps),
    ]))
}

/// Runs that many executions at once, each checked.
async fn crowd<S: Subject>(subject: &S, setup: &Setup, count: usize) -> Result<(), Error> {
    let running: Vec<_> = (0..count)
        .map(|_| {
            let subject = subject.clone();
            tokio::spawn(async move { subject.run().await })
        })
        .collect();
    for execution in running {
        let text = execution.await.map_err(|error| Error::Io {
            what: "awaiting an execution".to_owned(),
            source: error.into(),
        })??;
        check("length of the final text", TOKEN.len(), text.len())?;
    }
    let calls = setup.script.total_calls() * count;
    check("tool calls", calls, setup.probe.take().len())
}
