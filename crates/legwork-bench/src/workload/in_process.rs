//! LOOP: the cost of the loop itself, without a network and a disk.

use std::{hint::black_box, sync::Arc, time::Duration, time::Instant};

use legwork::{
    agent::memory::MemoryStore,
    core::{AgentState, Decision, continuation::Criterion},
};

use super::{Sample, check, middle, sample};
use crate::{
    error::Error,
    measure,
    probe::{self, Probe, StepTime},
    script::{Script, TOKEN},
    stats,
    subject::{
        TASK,
        legwork::{builder, fail},
        model::InProcess,
    },
};

/// Steps of a measured execution, and of the one before that warms up.
const STEPS: (usize, usize) = (5_000, 500);

/// Measured executions with hooks, and as many without.
const RUNS: usize = 5;

/// Hooks on all triggers, and criteria in addition to the default ones.
const LOAD: (usize, usize) = (20, 5);

/// The ranges of early and late steps.
const WINDOW: usize = 100;

/// Clones that are timed together, and how often.
const CLONES: (usize, usize) = (1_000, 200);

/// Runs 5,000 steps with one tool call each on a model in this process.
///
/// Alternates between runs with and without hooks, so that disturbances affect both.
pub(super) async fn measure(runs: Option<usize>) -> Result<Sample, Error> {
    let (steps, warm_up) = STEPS;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    let (mut early, mut late) = (Vec::new(), Vec::new());
    let mut figures = Sample::new();
    for hooks in [LOAD.0, 0] {
        execute(warm_up, hooks).await?;
    }
    for _ in 0..runs.unwrap_or(RUNS) {
        let run = execute(steps, LOAD.0).await?;
        early.extend_from_slice(run.times.get(..WINDOW).unwrap_or_default());
        late.extend_from_slice(run.times.get(run.times.len() - WINDOW..).unwrap_or_default());
        with.extend(run.times);
        // The peak of one state and one journal; those of further runs would add to it.
        if figures.is_empty() {
            figures.extend(measure::peak_mb().map(|mb| ("peak_mb".to_owned(), mb)));
        }
        figures.insert("clone_ns".to_owned(), clone_ns(&run.state));
        drop(run.state);
        without.extend(execute(steps, 0).await?.times);
    }
    let wall = |times: &[StepTime]| middle(times, |time| time.wall_us);
    let cpu = |times: &[StepTime]| middle(times, |time| time.cpu_us);
    figures.extend(sample([
        ("wall_us_step_50", wall(&early)),
        ("wall_us_step_5000", wall(&late)),
        ("wall_growth", wall(&late) / wall(&early)),
        ("cpu_us_step_50", cpu(&early)),
        ("cpu_us_step_5000", cpu(&late)),
        ("cpu_growth", cpu(&late) / cpu(&early)),
        ("wall_us_per_step", wall(&with)),
        ("wall_us_without_hooks", wall(&without)),
        ("hooks_us_per_step", wall(&with) - wall(&without)),
        ("hooks_by_step", wall(&with) / wall(&without) - 1.0),
    ]));
    Ok(figures)
}

/// The result of one execution.
struct Execution {
    state: AgentState,
    times: Vec<StepTime>,
}

/// Runs this many steps with this many hooks, on a new agent, and checks them.
async fn execute(steps: usize, hooks: usize) -> Result<Execution, Error> {
    let script = Script::steps(steps);
    let probe = Probe::new(Duration::ZERO);
    let agent = (0..LOAD.1)
        .fold(builder(InProcess::new(script), &probe, hooks), |builder, number| {
            builder.criterion(Allows(format!("allows {number}")))
        })
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .map_err(fail)?;
    let run = agent.run(TASK).await.map_err(fail)?;
    check("length of the final text", TOKEN.len(), run.text().len())?;
    check("steps on record", steps, run.state().step_results().count())?;
    let stamps = probe.take();
    check("tool calls", script.total_calls(), stamps.len())?;
    Ok(Execution { state: run.into_state(), times: probe::step_times(&stamps) })
}

/// A criterion that reads the state and allows to go on.
struct Allows(String);

impl Criterion for Allows {
    fn name(&self) -> &str {
        &self.0
    }

    fn decide(
        &self,
        state: &AgentState,
    ) -> Result<Option<Decision>, legwork::core::continuation::Error> {
        Ok(state.current_step().is_some().then_some(Decision::Allow))
    }
}

/// Nanoseconds of a clone and its drop.
fn clone_ns(state: &AgentState) -> f64 {
    let (count, times) = CLONES;
    let figures: Vec<_> = (0..times)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..count {
                drop(black_box(black_box(state).clone()));
            }
            start.elapsed().as_secs_f64() * 1e9 / count as f64
        })
        .collect();
    stats::median(&figures).unwrap_or_default()
}
