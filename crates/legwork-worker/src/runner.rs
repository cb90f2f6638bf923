//! How a worker runs one session.

use std::collections::BTreeMap;

use legwork_agent::{Agent, Control, Error, Rest};
use legwork_core::{AgentId, SessionId};
use legwork_port::BoxFuture;
use legwork_port::store::{self, Loss};

/// A session that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Due {
    /// The session; that of the root, where a subagent's was due.
    pub session: SessionId,
    /// The agent that works in it; none if its journal does not say.
    pub agent: Option<AgentId>,
}

impl Due {
    /// A session that is due, with its agent.
    pub fn new(session: SessionId, agent: Option<AgentId>) -> Self {
        Self { session, agent }
    }
}

/// Why a session could not be run until it rests.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// This worker has no such agent. Another one may have it.
    #[error(
        "this worker has no agent `{}`: give it that agent, or run a worker that has it",
        .0.as_ref().map_or("?", |agent| agent.as_str())
    )]
    NoAgent(Option<AgentId>),
    /// It could not be run.
    #[error(transparent)]
    Run(#[from] Error),
    /// It could not be prepared, or its code panicked.
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// Whether another process took the session over during the run.
    pub(crate) fn is_taken_over(&self) -> bool {
        let Self::Run(error) = self else { return false };
        matches!(error.as_store(), Some(store::Error::Lost { cause: Loss::Claimed, .. }))
    }
}

/// Runs sessions until they rest.
pub trait Runner: Send + Sync {
    /// Whether it has the agent of a session; by default it has all.
    ///
    /// A session of an agent that it does not have is left to other workers: it is not begun, and
    /// is reported as a failure, [`Failure::NoAgent`]. It must be quick.
    fn has(&self, due: &Due) -> bool {
        let _ = due;
        true
    }

    /// Runs a session until it rests, under a control.
    ///
    /// When it returns, the claim of the session is given back. It is idempotent, as
    /// [`Session::run_until_rest`](legwork_agent::Session::run_until_rest) is.
    ///
    /// # Errors
    /// Why it could not be run.
    fn run<'a>(&'a self, due: &'a Due, control: Control) -> BoxFuture<'a, Result<Rest, Failure>>;
}

/// Agents by their ids, all with the store of the worker.
#[derive(Debug, Clone, Default)]
pub struct Agents(BTreeMap<AgentId, Agent>);

impl Agents {
    /// These agents; of two with one id the last.
    pub fn new(agents: impl IntoIterator<Item = Agent>) -> Self {
        Self(agents.into_iter().map(|agent| (agent.id().clone(), agent)).collect())
    }
}

impl Runner for Agents {
    fn has(&self, due: &Due) -> bool {
        due.agent.as_ref().is_some_and(|agent| self.0.contains_key(agent))
    }

    fn run<'a>(&'a self, due: &'a Due, control: Control) -> BoxFuture<'a, Result<Rest, Failure>> {
        Box::pin(async move {
            let agent = due.agent.as_ref().and_then(|agent| self.0.get(agent));
            let agent = agent.ok_or_else(|| Failure::NoAgent(due.agent.clone()))?;
            let session = agent.session(due.session.clone());
            let run = session.run_until_rest_by(|request| request.control(control.clone()));
            Ok(run.await?)
        })
    }
}
