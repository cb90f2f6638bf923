//! What the program gives: the agent, and the store of its sessions.

use std::sync::Arc;

use legwork_agent::Agent;
use legwork_agent::StoredSession;
use legwork_agent::agent::request::{Run, RunRequest};
use legwork_core::{AgentState, SessionId};
use legwork_port::{BoxFuture, Store};

/// The program that a client starts or reaches: it makes the agent and keeps the sessions.
///
/// An [`Agent`] with a store is one.
pub trait Host: Send + Sync {
    /// The name of the agent, and what it is good for; none if nothing says that.
    fn about(&self) -> (String, Option<String>);

    /// The store of the sessions.
    fn store(&self) -> Arc<dyn Store>;

    /// The agent for a session, whose state is given unless it is new.
    ///
    /// It is asked again for each run. What waits for a person must be left waiting, unless the
    /// policy of the program answers it: the person in front of the client is asked then.
    ///
    /// # Errors
    /// When there is no such agent.
    fn open<'a>(
        &'a self,
        session: &'a SessionId,
        state: Option<&'a AgentState>,
    ) -> BoxFuture<'a, Result<Arc<dyn Workplace>, Unavailable>>;

    /// Whether clients may use a session of the store.
    fn owns<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, bool>;
}

/// The agent of one session, and how it is run.
pub trait Workplace: Send + Sync {
    /// The agent.
    fn agent(&self) -> &Agent;

    /// Runs a request to where it rests, whatever comes of it.
    ///
    /// # Errors
    /// When it could not begin, or what happened could not be journaled.
    fn run(&self, request: RunRequest) -> BoxFuture<'_, Result<Run, Unavailable>> {
        Box::pin(async move { Ok(request.outcome().await?) })
    }
}

/// Why there is no agent for a session, or why it could not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct Unavailable {
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl Unavailable {
    /// With what is wrong, and what to do about it.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl From<legwork_agent::Error> for Unavailable {
    fn from(error: legwork_agent::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl Host for Agent {
    fn about(&self) -> (String, Option<String>) {
        (self.id().to_string(), None)
    }

    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(Agent::store(self))
    }

    fn open<'a>(
        &'a self,
        _session: &'a SessionId,
        _state: Option<&'a AgentState>,
    ) -> BoxFuture<'a, Result<Arc<dyn Workplace>, Unavailable>> {
        Box::pin(async { Ok(Arc::new(Plain(self.clone())) as Arc<dyn Workplace>) })
    }

    fn owns<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, bool> {
        Box::pin(async {
            let stored = StoredSession::new(Host::store(self), session.clone());
            stored.state().await.is_ok_and(|state| {
                let facts = state.facts();
                facts.parent.is_none() && facts.agent.as_ref() == Some(self.id())
            })
        })
    }
}

/// An agent that is run as it is.
struct Plain(Agent);

impl Workplace for Plain {
    fn agent(&self) -> &Agent {
        &self.0
    }
}
