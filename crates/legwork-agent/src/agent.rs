//! The agent: one value that is a function call, a session, or a job.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::continuation::ErrorHandler;
use legwork_core::event::Definition;
use legwork_core::{AgentId, Criterion, Digest, Mask, Message, OnDoubt, SessionId};
use legwork_port::{Clock, Deps, Ids, Lifecycle, Model, Observer, Store};

use crate::builder::Builder;
use crate::driver::Driver;
use crate::error::Error;
use crate::executor::Executor;
use crate::lifecycle::Composite;
use crate::open::Active;
use crate::overriding::Override;
use crate::request::RunRequest;
use crate::session::Session;
use crate::stream::RunStream;
use crate::subagent::Subagents;
use crate::toolbox::{Given, Toolsets};

/// An agent, ready to run; cheap to clone, the same for every session.
#[derive(Clone)]
pub struct Agent(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    /// What it was built from: overrides and subagents are built from it again.
    pub(crate) builder: Builder,
    pub(crate) definition: Definition,
    pub(crate) digest: Digest,
    pub(crate) models: BTreeMap<String, Arc<dyn Model>>,
    /// Its single tools, those of capabilities too, without the one that spawns.
    pub(crate) tools: Vec<Given>,
    pub(crate) toolsets: Arc<Toolsets>,
    pub(crate) driver: Arc<dyn Driver>,
    pub(crate) criteria: Vec<Arc<dyn Criterion>>,
    pub(crate) error_handler: Arc<dyn ErrorHandler>,
    pub(crate) core: Arc<dyn Lifecycle>,
    pub(crate) lifecycle: Composite,
    pub(crate) subagents: Subagents,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) executor: Executor,
    pub(crate) on_doubt: Option<OnDoubt>,
    pub(crate) deps: Deps,
    /// What nothing holds that is written or shown: the keys of its models, and what else it was
    /// given.
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
        change.apply(self.0.builder.clone()).build()
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
        &self.0.store
    }

    /// Who works in its sessions.
    pub fn id(&self) -> &AgentId {
        &self.0.builder.id
    }

    /// What it is, as far as it is data.
    pub fn definition(&self) -> &Definition {
        &self.0.definition
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent").field("id", self.id()).finish_non_exhaustive()
    }
}
