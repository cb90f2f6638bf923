//! One session of an agent, by its id.

use std::sync::Arc;

use legwork_core::entry;
use legwork_core::inbox::{Cursor, Item};
use legwork_core::journal::Journal;
use legwork_core::state::{Input, Refusal};
use legwork_core::{AgentState, Message, Seq, SessionId};

use crate::agent::Agent;
use crate::error::Error;
use crate::request::{Run, RunRequest, Task};

/// One session of an agent: run it, resume it, look at it, speak to it.
#[derive(Debug, Clone)]
pub struct Session {
    agent: Agent,
    id: SessionId,
}

impl Session {
    pub(crate) fn new(agent: Agent, id: SessionId) -> Self {
        Self { agent, id }
    }

    /// Its id.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Runs the agent on a task in this session; await it.
    pub fn run(&self, input: impl Into<Message>) -> RunRequest {
        let task = Task::Start(vec![input.into()]);
        RunRequest::new(self.agent.clone(), task, Some(self.id.clone()))
    }

    /// Goes on where it stands; await it.
    pub fn resume(&self) -> RunRequest {
        self.agent.resume(self.id.clone())
    }

    /// All of its entries. Needs no claim.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn journal(&self) -> Result<Journal, Error> {
        Ok(self.agent.0.store.read(&self.id).await?.journal)
    }

    /// Its state. Needs no claim.
    ///
    /// # Errors
    /// When the store cannot be read, or there is no such session.
    pub async fn state(&self) -> Result<AgentState, Error> {
        let journal = self.journal().await?;
        if journal.version() == Seq::ZERO {
            return Err(Error::UnknownSession(self.id.clone()));
        }
        Ok(journal.fold(&self.id))
    }

    /// What came of its last run, as the journal has it. Needs no claim.
    ///
    /// # Errors
    /// As [`Session::state`].
    pub async fn last_run(&self) -> Result<Run, Error> {
        Ok(Run { state: self.state().await? })
    }

    /// Leaves an item in its inbox; the same key again changes nothing.
    ///
    /// # Errors
    /// When the item is nested too deeply to be journaled, a message holds a tool call or a
    /// result, or the store cannot be written.
    pub async fn post(&self, key: &str, item: Item) -> Result<Cursor, Error> {
        if serde_json::to_vec(&item).is_ok_and(|json| entry::is_too_deep(&json)) {
            return Err(Refusal::TooDeep.into());
        }
        item.check().map_err(Refusal::from)?;
        Ok(self.agent.0.store.post(&self.id, key, &item).await?)
    }

    /// Says something to be heard by the very next inference.
    ///
    /// # Errors
    /// As [`Session::post`].
    pub async fn steer(&self, message: impl Into<Message>) -> Result<Cursor, Error> {
        let key = self.agent.0.ids.session().to_string();
        self.post(&key, Item::Steer(Arc::new(message.into()))).await
    }

    /// Moves the head to an entry between steps: the next run goes on from there.
    ///
    /// What was used stays used. The entries behind the new head stay in the tree.
    ///
    /// # Errors
    /// When the session is in use, has no such entry, or a step is under way at either
    /// place.
    pub async fn move_head(&self, to: Seq) -> Result<AgentState, Error> {
        let store = &self.agent.0.store;
        let claim = store.claim(&self.id).await?;
        let journal = store.read(&self.id).await?.journal;
        let state = journal.fold(&self.id).at(self.agent.0.clock.now());
        let events = state.decide(Input::MoveHead(to))?;
        let path = journal.path(to);
        let state = events.into_iter().fold(state, AgentState::with).on_path(path);
        if state.current_step().is_some() {
            return Err(Refusal::StepUnderWay.into());
        }
        claim.append(state.committed_version(), state.uncommitted()).await?;
        Ok(state.committed())
    }
}
