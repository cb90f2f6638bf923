//! DURABLE: whole steps with a model in this process, on the stores that are files.

use std::{fs::File, io::Write as _, time::Duration, time::Instant};

use legwork::store;

use super::{Conditions, Sample, check, sample};
use crate::{
    error::Error,
    probe::{Probe, Stamp},
    script::{Script, TOKEN},
    stats,
    stores::{Kind, Row, Tape},
    subject::{
        TASK,
        legwork::{builder, fail},
        model::InProcess,
    },
    syncs::{Paused, Syncs},
};

/// Steps of an execution, and measured executions on each store after one that warms up.
const STEPS: usize = 100;
const RUNS: usize = 3;

/// Counts the durable writes of a step with a read-only call, and times it without these.
pub(super) async fn measure(conditions: &Conditions) -> Result<Sample, Error> {
    let mut figures = Sample::new();
    let mut windows = [(Kind::Sqlite, Window::default()), (Kind::Jsonl, Window::default())];
    let mut unsynced = [Window::default(), Window::default()];
    let mut bare = Window::default();
    let tape = Tape::record(STEPS).await?;
    for run in 0..=RUNS {
        for ((kind, window), unsynced) in windows.iter_mut().zip(&mut unsynced) {
            let stamps = execute(*kind, conditions).await?;
            let paused = Paused::new();
            let others = execute(*kind, conditions).await?;
            drop(paused);
            if run > 0 {
                window.add(&stamps);
                unsynced.add(&others);
            }
        }
        bare.add(&write(&tape, conditions)?);
    }
    for ((kind, window), unsynced) in windows.iter().zip(&unsynced) {
        let name = kind.name();
        figures.insert(format!("{name}_durable_writes_per_step"), window.writes());
        figures.insert(format!("{name}_beside_ms_per_step"), middle(&window.beside));
        figures.insert(format!("{name}_unsynced_ms_per_step"), middle(&unsynced.beside));
    }
    figures.extend(sample([("bare_beside_ms_per_step", middle(&bare.beside))]));
    Ok(figures)
}

/// The steps of all executions on one store: milliseconds without the durable writes, and how many of
/// these there were.
#[derive(Default)]
struct Window {
    beside: Vec<f64>,
    writes: Vec<f64>,
}

impl Window {
    fn add(&mut self, stamps: &[Stamp]) {
        for (from, to) in stamps.iter().zip(stamps.iter().skip(1)) {
            let syncs = to.syncs.after(from.syncs);
            let beside = (to.at - from.at).saturating_sub(syncs.time);
            self.beside.push(beside.as_secs_f64() * 1e3);
            self.writes.push(syncs.count as f64);
        }
    }

    /// Durable writes of a step on average.
    fn writes(&self) -> f64 {
        self.writes.iter().sum::<f64>() / self.writes.len().max(1) as f64
    }
}

fn middle(figures: &[f64]) -> f64 {
    stats::median(figures).unwrap_or_default()
}

/// Runs an execution, a session of its own in the store.
async fn execute(kind: Kind, conditions: &Conditions) -> Result<Vec<Stamp>, Error> {
    let (script, probe) = (Script::steps(STEPS), Probe::new(Duration::ZERO));
    let path = conditions.dir.join(format!("{}-steps", kind.name()));
    let store = store::open_inline(&format!("{}:{}", kind.name(), path.display()));
    let agent = builder(InProcess::new(script), &probe, 0).store_in(store.map_err(fail)?);
    let run = agent.build().map_err(fail)?.run(TASK).await.map_err(fail)?;
    check("length of the final text", TOKEN.len(), run.text().len())?;
    let stamps = probe.take();
    check("tool calls", script.total_calls(), stamps.len())?;
    Ok(stamps)
}

/// Appends the same rows to a file, each synced, from one step to the next.
fn write(tape: &Tape, conditions: &Conditions) -> Result<Vec<Stamp>, Error> {
    let what = || Error::io("a bare write");
    let mut file = File::create(conditions.dir.join("bare")).map_err(what())?;
    let mut stamps = Vec::new();
    for step in tape.steps() {
        let (at, cpu) = (Instant::now(), crate::measure::cpu());
        stamps.push(Stamp { at, cpu, syncs: Syncs::so_far() });
        for batch in step {
            let row = Row::of(batch)?;
            let (_, _, lines) = row.columns();
            file.write_all(lines).and_then(|()| file.sync_data()).map_err(what())?;
        }
    }
    Ok(stamps)
}
