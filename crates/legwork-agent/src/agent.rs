//! The agent: one value that is a function call, a session, or a job.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::event::Definition;
use legwork_core::{AgentId, Digest, Message, OnDoubt, SessionId};
use legwork_port::{Clock, Ids, Lifecycle, Model, Observer, Store};

use crate::builder::Builder;
use crate::driver::Driver;
use crate::executor::Executor;
use crate::lifecycle::Composite;
use crate::request::RunRequest;
use crate::session::Session;
use crate::stream::RunStream;
use crate::toolbox::Toolbox;

/// An agent, ready to run; cheap to clone, the same for every session.
#[derive(Clone)]
pub struct Agent(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) id: AgentId,
    pub(crate) definition: Definition,
    pub(crate) digest: Digest,
    pub(crate) models: Arc<BTreeMap<String, Arc<dyn Model>>>,
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) driver: Arc<dyn Driver>,
    pub(crate) core: Arc<dyn Lifecycle>,
    pub(crate) lifecycle: Composite,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) executor: Executor,
    pub(crate) on_doubt: Option<OnDoubt>,
    pub(crate) deps: Option<Arc<dyn Any + Send + Sync>>,
}

impl Agent {
    /// Begins an agent that works with a model.
    pub fn builder(model: impl Model + 'static) -> Builder {
        Builder::new(Arc::new(model))
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
        &self.0.id
    }

    /// What it is, as far as it is data.
    pub fn definition(&self) -> &Definition {
        &self.0.definition
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent").field("id", &self.0.id).finish_non_exhaustive()
    }
}
