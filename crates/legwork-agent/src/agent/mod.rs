//! The agent: one value that is a function call, a session, or a job.
//!
//! What it is built of refers to it again: a builder holds subagents and capabilities, which
//! build agents. So these are one room; everything else stands above or below it.

pub mod auxiliary;
pub mod builder;
pub mod capability;
pub mod overriding;
pub mod request;
pub mod rest;
pub mod session;
mod stored;
pub mod stream;
pub mod subagent;
pub mod undo;
pub(crate) mod waiting;

use std::sync::Arc;

use legwork_core::event::Definition;
use legwork_core::{AgentId, Mask, Message, SessionId};
use legwork_port::{Model, Store};
use legwork_runtime::open::{Active, Setup};
use legwork_runtime::{Error, Services};
use legwork_toolset::Given;

use builder::Builder;
use overriding::Override;
use request::RunRequest;
use session::Session;
use stream::RunStream;
use subagent::Subagents;

/// An agent, ready to run; cheap to clone, the same for every session.
#[derive(Clone)]
pub struct Agent(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) parts: Arc<Parts>,
    /// As the runtime knows it.
    pub(crate) setup: Setup,
}

/// What an agent was built from: overrides and subagents are built from it again.
pub(crate) struct Parts {
    pub(crate) builder: Builder,
    /// Its single tools, those of capabilities too, without the one that spawns.
    pub(crate) tools: Vec<Given>,
    pub(crate) subagents: Subagents,
    /// Secrets that are masked: those of its models, too.
    pub(crate) mask: Mask,
}

impl Agent {
    /// Begins an agent that works with a model.
    pub fn builder(model: impl Model + 'static) -> Builder {
        Builder::new(Arc::new(model))
    }

    /// The same agent with some things otherwise, as a new value: in a test, or for one
    /// customer.
    ///
    /// # Errors
    /// As [`Builder::build`].
    pub fn with_override(&self, change: Override) -> Result<Self, Error> {
        change.apply(self.to_builder()).build()
    }

    /// Runs the agent on a task in a new session; await it.
    pub fn run(&self, input: impl Into<Message>) -> RunRequest {
        RunRequest::start(self.clone(), vec![input.into()])
    }

    /// Runs the agent on several messages in a new session; await it.
    pub fn run_messages(&self, input: impl IntoIterator<Item = Message>) -> RunRequest {
        RunRequest::start(self.clone(), input.into_iter().collect())
    }

    /// Runs the agent on a task and gives its events as they come.
    pub fn stream(&self, input: impl Into<Message>) -> RunStream {
        self.run(input).stream()
    }

    /// Runs the agent on a task in a new session, a step at a time: the handle gives a
    /// snapshot of the state after each, and takes a changed one back. What was committed
    /// survives a crash: [`Agent::resume`] goes on there.
    ///
    /// # Errors
    /// As [`RunRequest::open`].
    pub async fn iterate(&self, input: impl Into<Message>) -> Result<Active, Error> {
        self.run(input).open().await
    }

    /// Goes on with a session where it stands; await it.
    pub fn resume(&self, session: impl Into<SessionId>) -> RunRequest {
        RunRequest::resume(self.clone(), session.into())
    }

    /// A session of this agent, by its id.
    pub fn session(&self, session: impl Into<SessionId>) -> Session {
        Session::new(self.clone(), session.into())
    }

    /// The store that its sessions live in.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.services().sessions.store
    }

    /// Who works in its sessions.
    pub fn id(&self) -> &AgentId {
        &self.0.setup.identity.agent
    }

    /// The models that its state may name, the first one included.
    pub fn models(&self) -> impl Iterator<Item = &Arc<dyn Model>> {
        self.services().models.values()
    }

    /// A builder with all that it was built from.
    pub fn to_builder(&self) -> Builder {
        self.0.parts.builder.clone()
    }

    pub(crate) fn services(&self) -> &Services {
        &self.0.setup.services
    }

    /// What it is, as far as it is data.
    pub fn definition(&self) -> &Definition {
        &self.0.setup.identity.definition
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent").field("id", self.id()).finish_non_exhaustive()
    }
}
