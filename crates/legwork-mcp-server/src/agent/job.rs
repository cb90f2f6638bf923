//! Tasks of clients that poll: runs that go on after the request was answered.
//!
//! A task is named by its session and by the entry that began its execution. How it stands is read
//! from the journal, so it is the same after a restart and in another process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::continuation::End;
use legwork_core::journal::Journal;
use legwork_core::{AgentState, Entry, Event, Seq, SessionId, Timestamp};
use legwork_port::{EventKind, RunEvent};
use tokio::sync::oneshot;

use super::host::{Unavailable, Workplace};
use super::run::{Interrupts, Working, reply, spawn};
use super::{Agents, asked};
use crate::question::Answers;
use crate::service::Error;
use crate::task::{Status, Task};

/// Splits the two parts of the id of a task.
const SPLIT: char = '~';

/// The entry that began an execution, and when that was.
type Begun = (Seq, Timestamp);

/// Begins a run that goes on by itself; gives its beginning once that is durable.
///
/// # Errors
/// When it could not begin.
pub(super) async fn begin(
    place: &Arc<dyn Workplace>,
    working: &Arc<Working>,
    task: &str,
) -> Result<Task, Unavailable> {
    let request = place.agent().session(working.session().clone()).run(task);
    let (tell, told) = oneshot::channel();
    let tell = Mutex::new(Some(tell));
    let observer = move |event: &RunEvent| {
        let Some(begun) = begun(event) else { return };
        let tell = tell.lock().ok().and_then(|mut tell| tell.take());
        // Who waits may be gone.
        tell.map(|tell| tell.send(begun));
    };
    // A client that is gone before it knows the task would give it again.
    let interrupts = Interrupts::unless_done(working);
    let ran = spawn(place, working, request.observer(observer));
    let Ok((seq, at)) = told.await else {
        // It ended, and began nothing.
        let ended = ran.await.map_err(|error| Unavailable::new(error.to_string()))?;
        let state = ended?;
        return Err(Unavailable::new(state.end().to_string()));
    };
    interrupts.forgets();
    let name = format!("{}{SPLIT}{seq}", working.session());
    Ok(Task::new(name, at, at, Status::Working(String::new())))
}

/// The beginning of the run's own execution, if an event tells of it.
fn begun(event: &RunEvent) -> Option<Begun> {
    let EventKind::Committed(committed) = &event.kind else { return None };
    let first = committed.entries.iter().find(|entry| begins(entry))?;
    event.path.is_empty().then_some((first.seq, first.at))
}

fn begins(entry: &Entry) -> bool {
    matches!(entry.event, Event::ExecutionStarted(_))
}

impl Agents {
    /// Runs a session in a task of its own, unless this process works in it.
    fn works(&self, place: &Arc<dyn Workplace>, id: &SessionId) {
        let Some(working) = self.begins(id) else { return };
        let request = place.agent().session(id.clone()).resume();
        let (ran, agents, id) = (spawn(place, &working, request), self.clone(), id.clone());
        drop(working);
        tokio::spawn(async move {
            // How it went is read from its journal, unless it could not go on.
            let Ok(Err(error)) = ran.await else { return };
            agents.failures().insert(id, error.to_string());
        });
    }

    /// Runs a session once nothing works in it.
    fn works_next(&self, place: Arc<dyn Workplace>, id: SessionId) {
        let agents = self.clone();
        tokio::spawn(async move {
            loop {
                let ended = agents.shared.ended.notified();
                if !agents.runs().contains_key(&id) {
                    return agents.works(&place, &id);
                }
                ended.await;
            }
        });
    }

    fn failures(&self) -> MutexGuard<'_, HashMap<SessionId, String>> {
        self.shared.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn found(&self, name: &str) -> Result<Found, Error> {
        let unknown = || Error::no_task(name);
        let (id, seq) = name.rsplit_once(SPLIT).ok_or_else(unknown)?;
        let seq = seq.parse().map(Seq).map_err(|_| unknown())?;
        let id = SessionId::from(id);
        if !self.host().owns(&id).await {
            return Err(unknown());
        }
        let journal = self.stored(&id).journal().await.map_err(internal)?;
        Found::of(id, &journal, seq).ok_or_else(unknown)
    }

    /// How a task stands. One that was interrupted is taken up again.
    pub(super) async fn job(&self, name: &str) -> Result<Task, Error> {
        let found = self.found(name).await?;
        let end = found.state.end();
        let status = match &end {
            End::Waiting(_) => {
                let waiting = self.stored(&found.id).pending().await.map_err(internal)?;
                let questions = asked::questions(&waiting);
                match questions.is_empty() {
                    true => Status::Working(end.to_string()),
                    false => Status::Asks(questions),
                }
            }
            End::Cancelled(_) => Status::Cancelled,
            End::Interrupted if found.is_last => self.goes_on(&found).await?,
            End::Suspended(_) if found.is_last => Status::Working(end.to_string()),
            // Another task took its place before it ended.
            End::Suspended(_) | End::Interrupted | End::Idle => Status::Cancelled,
            _ => Status::Done(reply(&found.state)),
        };
        Ok(Task::new(name, found.created, found.updated, status))
    }

    /// Takes up a task that was interrupted, unless this process works on it.
    async fn goes_on(&self, found: &Found) -> Result<Status, Error> {
        if self.runs().contains_key(&found.id) {
            return Ok(Status::Working(String::new()));
        }
        let failed = self.failures().remove(&found.id);
        if let Some(why) = failed {
            return Ok(Status::Failed(why));
        }
        let place = self.open(&found.id, Some(&found.state)).await?;
        self.works(&place, &found.id);
        Ok(Status::Working(String::new()))
    }

    /// Takes answers of a person, and goes on.
    pub(super) async fn answer_job(&self, name: &str, answers: Answers) -> Result<(), Error> {
        let found = self.found(name).await?;
        let session = self.stored(&found.id);
        let waiting = session.pending().await.map_err(internal)?;
        if found.is_last && asked::deliver(&session, &waiting, &answers, None).await {
            let place = self.open(&found.id, Some(&found.state)).await?;
            self.works_next(place, found.id);
        }
        Ok(())
    }

    /// Cancels a task; one that is over stays as it is.
    pub(super) async fn cancel_job(&self, name: &str) -> Result<(), Error> {
        let found = self.found(name).await?;
        let is_over = found.state.status().is_some_and(|status| status.is_terminal());
        if is_over || !found.is_last {
            return Ok(());
        }
        let running = self.runs().get(&found.id).cloned();
        if let Some(control) = running.filter(|_| !matches!(found.state.end(), End::Waiting(_))) {
            control.cancel.cancel();
            return Ok(());
        }
        // What waits ends when it is resumed.
        let stopped = self.stored(&found.id).stop("the client cancelled the task").await;
        stopped.map_err(internal)?;
        let place = self.open(&found.id, Some(&found.state)).await?;
        self.works_next(place, found.id);
        Ok(())
    }
}

/// A task as its journal has it.
struct Found {
    id: SessionId,
    created: Timestamp,
    updated: Timestamp,
    /// The state when its execution was the last one.
    state: AgentState,
    /// Whether no other execution began since.
    is_last: bool,
}

impl Found {
    /// The task of the execution that an entry began; none if it began none.
    fn of(id: SessionId, journal: &Journal, seq: Seq) -> Option<Self> {
        let own = journal.get(seq).filter(|entry| begins(entry))?;
        let next = journal.entries().iter().find(|entry| entry.seq > seq && begins(entry));
        let until = match next {
            Some(next) => journal.before(next.seq),
            None => journal.clone(),
        };
        let updated = until.entries().last().map_or(own.at, |entry| entry.at);
        let state = until.fold(&id);
        Some(Self { id, created: own.at, updated, state, is_last: next.is_none() })
    }
}

fn internal(error: impl std::fmt::Display) -> Error {
    Error::Internal(error.to_string())
}
