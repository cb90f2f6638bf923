//! IDLE: what 10,000 idle sessions of a store add to a process with a worker that watches it.

use std::{
    io::Write as _,
    process::{Command, Stdio},
    sync::Arc,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use futures_util::{StreamExt as _, stream};
use legwork::core::{Budget, Event, Stamp};
use legwork::port::{Store, Tool};
use legwork::store;
use legwork::toolset::{Ask, Tools, ToolsetExt as _};
use legwork::worker::{Agents, Worker};

use super::{Conditions, Sample, check};
use crate::{
    error::Error,
    measure,
    probe::Probe,
    script::Script,
    stats,
    stores::{Kind, Place, Replay, Tape},
    subject::{
        INSTRUCTIONS,
        legwork::{Add, fail},
        model::InProcess,
    },
};

/// Idle sessions. Half of them ended, and the others wait for an approval.
const SESSIONS: usize = 10_000;

/// How many are added at once.
const AT_ONCE: usize = 16;

/// How often the worker asks the store, and how long it is watched.
const POLL: Duration = Duration::from_millis(20);
const WATCHED: Duration = Duration::from_millis(400);

/// Processes with an almost empty store, and with a full one.
const TIMES: usize = 3;

/// Measures all kinds of stores that last.
pub(super) async fn measure(conditions: &Conditions) -> Result<Sample, Error> {
    let (ended, waiting) = (Tape::record(2).await?, waiting().await?);
    let mut figures = Sample::new();
    for kind in [Kind::Sqlite, Kind::Jsonl, Kind::Postgres, Kind::Redis] {
        let Some(place) = Place::open(kind, &conditions.dir).await? else { continue };
        fill(&place, 0..2, [&ended, &waiting]).await?;
        let before = watched(&place)?;
        fill(&place, 2..SESSIONS + 2, [&ended, &waiting]).await?;
        let after = watched(&place)?;
        let name = kind.name();
        figures.insert(format!("{name}_added_mb"), after.0 - before.0);
        figures.insert(format!("{name}_added_handles"), after.1 - before.1);
        figures.insert(format!("{name}_process_mb"), after.0);
    }
    Ok(figures)
}

/// A session that waits for an approval.
async fn waiting() -> Result<Tape, Error> {
    let probe = Probe::new(Duration::ZERO);
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Add::new(probe))];
    let tools = Tools::new("sums", tools).approval_required(Ask::always());
    let agent = legwork::Agent::builder(InProcess::new(Script::steps(2)));
    let agent = agent.instructions(INSTRUCTIONS).toolset(tools);
    Tape::of(agent.budget(Budget::unlimited().steps(10))).await
}

/// Adds sessions, each by one append.
async fn fill(
    place: &Place,
    numbers: std::ops::Range<usize>,
    tapes: [&Tape; 2],
) -> Result<(), Error> {
    let filling = place.fill().await?;
    let store = &filling.store;
    let sessions = numbers.zip(tapes.into_iter().cycle());
    let sessions = sessions.map(|(number, tape)| add(store, number, tape));
    let mut added = stream::iter(sessions).buffer_unordered(AT_ONCE);
    while let Some(added) = added.next().await {
        added?;
    }
    drop(added);
    filling.end().await
}

async fn add(store: &Arc<dyn Store>, number: usize, tape: &Tape) -> Result<(), Error> {
    let mut replay = Replay::begin(store, &format!("session {number}")).await?;
    let steps = (0..tape.steps().len()).flat_map(|index| tape.events(index));
    let all: Vec<(Stamp, Event)> = steps.flatten().collect();
    replay.step(vec![all]).await?;
    replay.end().await;
    Ok(())
}

/// The memory in MB and the handles of processes with a worker on the store.
fn watched(place: &Place) -> Result<(f64, f64), Error> {
    let (mut memory, mut handles) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let path = std::env::current_exe().map_err(Error::io("looking for this executable"))?;
        let mut watcher = Command::new(path);
        // The address has the password of a server, and arguments can be seen by other users.
        watcher.arg("watch").env(ADDRESS, place.address());
        let output = watcher.stderr(Stdio::inherit()).output();
        let output = output.map_err(Error::io("starting a watcher"))?;
        let found: (f64, f64) =
            serde_json::from_slice(&output.stdout).map_err(Error::json("what a watcher found"))?;
        memory.push(found.0);
        handles.push(found.1);
    }
    let median = |figures: &[f64]| stats::median(figures).unwrap_or_default();
    Ok((median(&memory), median(&handles)))
}

/// The variable with the address of the store that a watcher opens.
const ADDRESS: &str = "LEGWORK_BENCH_STORE";

/// The process that is measured: a store, and a worker that finds nothing to do.
pub(crate) async fn watch() -> Result<(), Error> {
    let address = std::env::var(ADDRESS).map_err(fail)?;
    let taken_up = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&taken_up);
    let worker = Worker::new(store::open(&address).map_err(fail)?, Agents::new([])).poll(POLL);
    let worker = worker.report(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
    });
    let ended = tokio::time::timeout(WATCHED, worker.run()).await.is_ok();
    check("events of a worker that has nothing to do", 0, taken_up.load(Ordering::Relaxed))?;
    let found = measure::resident_mb().zip(measure::handles()).filter(|_| !ended);
    let (memory, handles) = found.ok_or_else(|| fail("a worker cannot be watched here"))?;
    let text = serde_json::to_string(&(memory, handles as f64)).map_err(Error::json("figures"))?;
    writeln!(std::io::stdout(), "{text}").map_err(Error::io("printing the figures"))
}
