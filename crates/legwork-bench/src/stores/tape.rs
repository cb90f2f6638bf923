//! What a run appended, batch by batch, to be replayed to any store.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use legwork::agent::{Builder, memory::MemoryStore};
use legwork::core::{Budget, Entry, Event, Micros, Stamp};
use legwork::port::{EventKind, RunEvent};

use crate::{
    error::Error,
    probe::Probe,
    script::Script,
    subject::{
        TASK,
        legwork::{builder, fail},
        model::InProcess,
    },
    workload::check,
};

/// The entries of one append.
pub(crate) type Batch = Vec<Arc<Entry>>;

/// The appends of a session, step by step.
#[derive(Debug)]
pub(crate) struct Tape {
    steps: Vec<Vec<Batch>>,
}

impl Tape {
    /// Records a run of so many steps, all but the last with one call of a read-only tool.
    pub(crate) async fn record(steps: usize) -> Result<Self, Error> {
        let probe = Probe::new(Duration::ZERO);
        let agent = builder(InProcess::new(Script::steps(steps)), &probe, 0);
        let tape = Self::of(agent.budget(Budget::unlimited().steps(100_000))).await?;
        check("steps on record", steps, tape.steps.len())?;
        Ok(tape)
    }

    /// Records what an agent appends until its run ends, or pauses.
    pub(crate) async fn of(agent: Builder) -> Result<Self, Error> {
        let seen: Arc<Mutex<Vec<Batch>>> = Arc::default();
        let record = Arc::clone(&seen);
        let observer = move |event: &RunEvent| {
            if let EventKind::Committed(committed) = &event.kind {
                let mut seen = record.lock().unwrap_or_else(PoisonError::into_inner);
                seen.push(committed.entries.clone());
            }
        };
        let agent = agent.store_in(Arc::new(MemoryStore::new())).build().map_err(fail)?;
        agent.run(TASK).observer(observer).outcome().await.map_err(fail)?;
        let batches = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Self { steps: by_step(batches) })
    }

    /// The steps.
    pub(crate) fn steps(&self) -> &[Vec<Batch>] {
        &self.steps
    }

    /// The appends of the step at an index; none if the run was shorter.
    pub(crate) fn step(&self, index: usize) -> &[Batch] {
        self.steps.get(index).map_or(&[], Vec::as_slice)
    }

    /// The events of a step, append by append, as a run hands them to its state.
    pub(crate) fn events(&self, index: usize) -> Vec<Vec<(Stamp, Event)>> {
        self.step(index).iter().map(events).collect()
    }
}

/// The events of one append, each with its time.
fn events(batch: &Batch) -> Vec<(Stamp, Event)> {
    let stamp = |entry: &Entry| Stamp { wall: entry.at, mono: Micros(entry.seq.0) };
    batch.iter().map(|entry| (stamp(entry), entry.event.clone())).collect()
}

/// Appends by step: one begins with the append that has its inference, which may also have the end of
/// the step before.
fn by_step(batches: Vec<Batch>) -> Vec<Vec<Batch>> {
    let (mut steps, mut asked) = (vec![Vec::new()], false);
    for batch in batches {
        let asks = batch.iter().any(|entry| matches!(entry.event, Event::InferenceStarted(_)));
        if asks && asked {
            steps.push(Vec::new());
        }
        asked |= asks;
        if let Some(step) = steps.last_mut() {
            step.push(batch);
        }
    }
    steps
}
