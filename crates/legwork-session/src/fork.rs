//! Forking a session, and moving its head back.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::event::SessionStarted;
use legwork_core::journal::{self, Journal};
use legwork_core::state::Refusal;
use legwork_core::{AgentId, AgentState, Entry, Event, Seq, SessionId};
use legwork_port::store::{self, Batch, Range};

use serde_json::Value;

use crate::error::Error;
use crate::sessions::Sessions;

/// How far back the head of a session is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Back {
    /// Before the last steps, this many.
    Steps(usize),
    /// Before the task of the last execution.
    Task,
}

impl Back {
    /// The entry that it leads to.
    ///
    /// # Errors
    /// When there are no such steps, or no task, on the path to the head.
    pub fn target(self, state: &AgentState, journal: &Journal) -> Result<Seq, Refusal> {
        let before = |entry: Seq| journal.get(entry).map_or(Seq::ZERO, |entry| entry.parent);
        match self {
            Self::Task => {
                let begun = state.execution().map(|execution| execution.id);
                begun.map(before).ok_or(Refusal::UnknownStep { step: 1, steps: 0 })
            }
            Self::Steps(count) => {
                let path = journal.path(journal.head());
                let steps = journal::steps(&path);
                let place = steps.len().checked_sub(count.max(1));
                let step = place.and_then(|place| steps.get(place));
                let (step_wanted, all) = (count as u64, steps.len() as u64);
                let unknown = Refusal::UnknownStep { step: step_wanted, steps: all };
                step.copied().map(before).ok_or(unknown)
            }
        }
    }
}

impl Sessions {
    /// Makes a new session that goes on from an entry of another one.
    ///
    /// The other session is read, and not changed; it may run meanwhile. The new one is idle until
    /// it is run or resumed.
    ///
    /// # Errors
    /// When there is no such session or entry, the journal cannot be read, or there is a session
    /// of the new id already.
    ///
    /// # Cancel safety
    /// A dropped future has made the whole session or none.
    pub async fn fork(
        &self,
        session: &SessionId,
        at: Seq,
        into: &SessionId,
    ) -> Result<AgentState, Error> {
        let loaded = self.store.read(session, Range::ALL).await?.writable(session)?;
        if loaded.journal.version() == Seq::ZERO {
            return Err(self.no_session(session));
        }
        let entries = loaded.journal.fork(session, at, into, self.clock.now().wall)?;
        self.begin_with(into, entries).await
    }

    /// Begins a session of an agent, with metadata.
    ///
    /// # Errors
    /// As [`Sessions::begin_with`].
    pub async fn begin(
        &self,
        session: &SessionId,
        agent: &AgentId,
        metadata: &BTreeMap<String, Value>,
    ) -> Result<AgentState, Error> {
        let (id, agent) = (session.clone(), agent.clone());
        let started =
            SessionStarted { session: id.clone(), agent, parent: None, forked_from: None };
        let state = AgentState::new(id).at(self.clock.now()).masked_by(&self.mask);
        let state = state.with(Event::SessionStarted(started));
        let state = metadata
            .iter()
            .fold(state, |state, (key, value)| state.with_metadata(key, Some(value.clone())));
        self.begin_with(session, state.uncommitted().to_vec()).await
    }

    /// Writes the first entries of a session, all at once.
    ///
    /// # Errors
    /// When there is a session of this id already, or the store cannot be used.
    pub async fn begin_with(
        &self,
        session: &SessionId,
        entries: Vec<Arc<Entry>>,
    ) -> Result<AgentState, Error> {
        let claim = self.store.claim(session).await?;
        let state = Journal::new(entries.clone()).fold(session);
        let batch = Batch::of(&entries).with_summary(state.summary());
        let written = claim.append(Seq::ZERO, batch).await;
        self.release(claim, session).await;
        match written {
            Ok(_) => Ok(state),
            Err(store::Error::Moved { session, .. }) => {
                Err(store::Error::Exists { session }.into())
            }
            Err(error) => Err(error.into()),
        }
    }
}
