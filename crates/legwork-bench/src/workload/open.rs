//! OPEN: how long it takes to open a long session before a run.

use std::{fs, path::Path, sync::Arc, time::Instant};

use legwork::{
    agent::memory::MemoryStore,
    core::{AgentState, Entry, Event, Seq, SessionId},
    port::Claim,
    port::store::{Batch, Range},
};
use serde_json::Value;

use super::{Conditions, Sample, check, sample};
use crate::{
    error::Error,
    measure,
    probe::Probe,
    script::Script,
    stats,
    stores::{Kind, Place},
    subject::{
        TASK,
        legwork::{builder, fail},
        model::InProcess,
    },
};

/// Entries of the session.
const ENTRIES: usize = 10_000;

/// Steps that make at least this many entries.
const STEPS: usize = 2_050;

/// Entries of an append: a step has five, and is committed twice.
const APPEND: usize = 3;

/// How often the session is opened, after one time that warms up.
const TIMES: usize = 15;

/// Opens a session of 10,000 entries on these stores, and parses the same lines as JSON values.
pub(super) async fn measure(conditions: &Conditions, kinds: &[Kind]) -> Result<Sample, Error> {
    let (session, entries) = entries().await?;
    let mut places = Vec::new();
    for kind in kinds {
        if let Some(place) = Place::open(*kind, &conditions.dir).await? {
            fill(&place, &session, &entries).await?;
            places.push((place, Vec::new(), Vec::new()));
        }
    }
    let file = conditions.dir.join("lines.jsonl");
    let lines = lines(&entries)?;
    fs::write(&file, &lines).map_err(Error::io("writing the lines"))?;
    let (wanted, mut parsed) = (steps(&entries), Vec::new());
    drop(entries);
    for _ in 0..=TIMES {
        for (place, opened, cpus) in &mut places {
            let (start, cpu) = (Instant::now(), measure::cpu());
            let (claim, state) = open(place, &session).await?;
            opened.push(start.elapsed().as_secs_f64() * 1e3);
            cpus.push((measure::cpu() - cpu).as_secs_f64() * 1e3);
            check("steps of the session", wanted, state.step_results().count())?;
            claim.release().await.map_err(fail)?;
        }
    }
    // Not in between: the allocator would tidy up what dropped values leave, in the time of the
    // session that is opened next.
    for _ in 0..=TIMES {
        let start = Instant::now();
        let values = values(&file)?;
        parsed.push(start.elapsed().as_secs_f64() * 1e3);
        check("lines of the file", ENTRIES, values.len())?;
    }
    let middle = |times: &[f64]| stats::median(times.get(1..).unwrap_or_default());
    let parse = middle(&parsed).unwrap_or_default();
    let mut figures = sample([("values_ms", parse), ("journal_mb", lines.len() as f64 / 1e6)]);
    for (place, opened, cpus) in &places {
        let (name, open) = (place.kind().name(), middle(opened).unwrap_or_default());
        figures.insert(format!("{name}_open_ms"), open);
        figures.insert(format!("{name}_open_cpu_ms"), middle(cpus).unwrap_or_default());
        figures.insert(format!("{name}_open_by_values"), open / parse);
    }
    Ok(figures)
}

/// The first 10,000 entries of a session that made a tool call a step.
async fn entries() -> Result<(SessionId, Vec<Arc<Entry>>), Error> {
    let probe = Probe::new(std::time::Duration::ZERO);
    let agent = builder(InProcess::new(Script::steps(STEPS)), &probe, 0)
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .map_err(fail)?;
    let run = agent.run(TASK).await.map_err(fail)?;
    let session = run.session().clone();
    let journal = agent.session(session.clone()).journal().await.map_err(fail)?;
    let entries: Vec<_> = journal.entries().iter().take(ENTRIES).cloned().collect();
    check("entries of the session", ENTRIES, entries.len())?;
    Ok((session, entries))
}

/// How many steps ended.
fn steps(entries: &[Arc<Entry>]) -> usize {
    entries.iter().filter(|entry| matches!(entry.event, Event::StepFinished(_))).count()
}

/// Appends the entries to a new store.
async fn fill(place: &Place, session: &SessionId, entries: &[Arc<Entry>]) -> Result<(), Error> {
    let filling = place.fill().await?;
    let claim = filling.store.claim(session).await.map_err(fail)?;
    let mut last = Seq::ZERO;
    for entries in entries.chunks(APPEND) {
        claim.append(last, Batch::of(entries)).await.map_err(fail)?;
        last = entries.last().map_or(last, |entry| entry.seq);
    }
    claim.release().await.map_err(fail)?;
    filling.end().await
}

/// Opens the store, claims the session, reads and folds it: then a run can begin.
async fn open(place: &Place, session: &SessionId) -> Result<(Box<dyn Claim>, AgentState), Error> {
    let store = place.store()?;
    let claim = store.claim(session).await.map_err(fail)?;
    let loaded = store.read(session, Range::ALL).await.map_err(fail)?;
    let state = loaded.journal.fold(session);
    std::hint::black_box(state.owed());
    Ok((claim, state))
}

fn lines(entries: &[Arc<Entry>]) -> Result<Vec<u8>, Error> {
    let mut lines = Vec::new();
    for entry in entries {
        lines.extend(entry.encode().map_err(Error::json("an entry"))?);
        lines.push(b'\n');
    }
    Ok(lines)
}

/// Parses the lines of a file as JSON values.
fn values(file: &Path) -> Result<Vec<Value>, Error> {
    let text = fs::read_to_string(file).map_err(Error::io("reading the lines"))?;
    let read: Result<_, _> = text.lines().map(serde_json::from_str).collect();
    read.map_err(Error::json("a line"))
}
