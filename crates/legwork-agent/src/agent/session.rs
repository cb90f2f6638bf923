//! One session of an agent, by its id.

use std::ops::Deref;
use std::sync::Arc;

use legwork_core::{Message, SessionId};
use legwork_runtime::open::Task;

use crate::agent::Agent;
use crate::agent::request::RunRequest;
pub use crate::agent::stored::StoredSession;
pub use crate::agent::waiting::Waiting;
pub use legwork_session::Delivery;

/// One session of an agent: run it, resume it, and all that a [`StoredSession`] does.
#[derive(Debug, Clone)]
pub struct Session {
    agent: Agent,
    stored: StoredSession,
}

impl Session {
    pub(crate) fn new(agent: Agent, id: SessionId) -> Self {
        let sessions = Arc::clone(&agent.services().sessions);
        Self { agent, stored: StoredSession::of(sessions, id) }
    }

    /// Runs the agent on a task in this session; await it. The agent needs a store, or the run
    /// a state ([`RunRequest::on_state`]).
    pub fn run(&self, input: impl Into<Message>) -> RunRequest {
        let task = Task::Start(vec![input.into()]);
        RunRequest::new(self.agent.clone(), task, Some(self.stored.id().clone()))
    }

    /// Goes on where it stands; await it.
    pub fn resume(&self) -> RunRequest {
        self.agent.resume(self.stored.id().clone())
    }
}

impl Deref for Session {
    type Target = StoredSession;

    fn deref(&self) -> &StoredSession {
        &self.stored
    }
}
