//! W4: concurrent calls of one turn.

use std::time::Duration;

use super::{Conditions, Sample, check, sample, timed};
use crate::{
    error::Error,
    probe::Probe,
    script::Script,
    stats,
    subject::{Setup, Subject},
};

/// Measured executions.
const RUNS: usize = 3;

/// Runs 8 tools of 100 ms in one turn.
///
/// The time is that of the whole execution, with both answers of the model.
pub(super) async fn measure<S: Subject>(conditions: &Conditions) -> Result<Sample, Error> {
    let setup = Setup {
        probe: Probe::new(Duration::from_millis(100)),
        ..conditions.setup(Script::steps(2).calls(8))
    };
    let subject = S::open(setup.clone())?;
    timed(&subject, &setup).await?;
    setup.probe.take();
    let (mut walls, mut cpus) = (Vec::new(), 0.0);
    for _ in 0..RUNS {
        let (wall, cpu) = timed(&subject, &setup).await?;
        check("tool calls", setup.script.total_calls(), setup.probe.take().len())?;
        walls.push(wall);
        cpus += cpu;
    }
    Ok(sample([
        ("wall_ms", stats::median(&walls).unwrap_or_default() * 1e3),
        ("cpu_us", cpus * 1e6 / RUNS as f64),
    ]))
}
