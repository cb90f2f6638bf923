//! TOOLS: many tools at once, and many tools to choose from, without a network and a disk.

use std::{sync::Arc, time::Duration, time::Instant};

use legwork::agent::Builder;
use legwork::port::Tool;
use legwork::tool::from_fn;
use legwork::toolset::{Tools, ToolsetExt as _};

use super::{Sample, check, middle, sample};
use crate::{
    error::Error,
    probe::{self, Probe, StepTime},
    script::{Script, TOKEN},
    stats,
    subject::{
        TASK,
        legwork::{builder, fail},
        model::InProcess,
    },
};

/// Concurrent calls of one turn, and how long each takes.
const FAN: (usize, Duration) = (64, Duration::from_millis(10));

/// Measured executions of them.
const FANS: usize = 15;

/// Tools in a toolset.
const TOOLS: usize = 1_000;

/// Steps of an execution with these tools, and executions of each kind.
const STEPS: (usize, usize) = (200, 3);

/// Measures 64 calls of 10 ms in one turn, and what 1,000 further tools add to a step: those that
/// are always shown, and those that the model has to find.
pub(super) async fn measure() -> Result<Sample, Error> {
    let mut fans = Vec::new();
    fan().await?;
    for _ in 0..FANS {
        fans.push(fan().await?);
    }
    let (mut few, mut many, mut hidden) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STEPS.1 {
        few.extend(steps(|builder| builder).await?);
        many.extend(steps(|builder| builder.toolset(Tools::new("many", tools()))).await?);
        let searchable = || Tools::new("many", tools()).searchable();
        hidden.extend(steps(|builder| builder.toolset(searchable())).await?);
    }
    let wall = |times: &[StepTime]| middle(times, |time| time.wall_us);
    let (few, many, hidden) = (wall(&few), wall(&many), wall(&hidden));
    Ok(sample([
        ("wall_ms_64_calls", stats::median(&fans).unwrap_or_default() * 1e3),
        ("wall_us_per_step", few),
        ("added_us_1000_shown", many - few),
        ("added_us_1000_searchable", hidden - few),
    ]))
}

/// Seconds of one execution with 64 calls in one turn, all of them at once.
async fn fan() -> Result<f64, Error> {
    let (calls, delay) = FAN;
    let (script, probe) = (Script::steps(2).calls(calls), Probe::new(delay));
    let agent = builder(InProcess::new(script), &probe, 0).parallel_calls(calls);
    let agent = agent.build().map_err(fail)?;
    let start = Instant::now();
    let run = agent.run(TASK).await.map_err(fail)?;
    let took = start.elapsed();
    check("length of the final text", TOKEN.len(), run.text().len())?;
    check("tool calls", calls, probe.take().len())?;
    Ok(took.as_secs_f64())
}

/// The times of the steps of an execution with one tool that is called, and others.
async fn steps(with: impl FnOnce(Builder) -> Builder) -> Result<Vec<StepTime>, Error> {
    let (script, probe) = (Script::steps(STEPS.0), Probe::new(Duration::ZERO));
    let agent = with(builder(InProcess::new(script), &probe, 0)).build().map_err(fail)?;
    let run = agent.run(TASK).await.map_err(fail)?;
    check("steps on record", STEPS.0, run.state().step_results().count())?;
    let stamps = probe.take();
    check("tool calls", script.total_calls(), stamps.len())?;
    Ok(probe::step_times(&stamps))
}

fn tools() -> Vec<Arc<dyn Tool>> {
    let tool = |n| from_fn(format!("tool_{n}"), "Says which tool it is.", move || n).read_only();
    (0..TOOLS).map(|n| tool(n).into()).collect()
}
