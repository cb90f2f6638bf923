//! Tools: what a model may call, and where tools come from.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::tool::Metadata;
use legwork_core::{AgentState, EffectKey, SessionId, ToolCall, ToolOutcome, ToolSpec};
use serde_json::Value;

use crate::observer::{LiveEvent, Observer};
use crate::{BoxFuture, Cancellation};

/// One callable.
pub trait Tool: Send + Sync {
    /// What it is. The same every time.
    fn spec(&self) -> Arc<ToolSpec>;

    /// Runs a call whose arguments fit the schema.
    ///
    /// When it returns, its effect has happened or it says why not. Dropping the future
    /// must end whatever it began, child processes too.
    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome>;
}

impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn spec(&self) -> Arc<ToolSpec> {
        (**self).spec()
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        (**self).call(call, cx)
    }
}

/// A source of callables.
pub trait Toolset: Send + Sync {
    /// Gets ready; called once before the first use of an execution.
    ///
    /// # Errors
    /// Why it cannot be used, in words.
    fn open(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Lets go of what `open` took.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    /// The tools for a state, in the order they are shown.
    ///
    /// # Errors
    /// Why they cannot be told, in words.
    fn specs<'a>(
        &'a self,
        state: &'a AgentState,
    ) -> BoxFuture<'a, Result<Vec<Arc<ToolSpec>>, String>>;

    /// Whether its specs are the same for every state, so that they are asked for once.
    fn is_static(&self) -> bool {
        false
    }

    /// Runs a call of one of its tools.
    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome>;
}

/// What a running call gets, without the model ever seeing it.
#[derive(Clone)]
pub struct ToolContext {
    /// The session.
    pub session: SessionId,
    /// The idempotency key of this effect; the same when it is run again.
    pub key: EffectKey,
    /// The state as it was when the call began.
    pub state: AgentState,
    /// Raised when the call shall end.
    pub cancellation: Cancellation,
    observer: Arc<dyn Observer>,
    deps: Option<Arc<dyn Any + Send + Sync>>,
    metadata: Arc<Mutex<Metadata>>,
}

impl ToolContext {
    /// A context for the call with a key.
    pub fn new(
        state: AgentState,
        key: EffectKey,
        cancellation: Cancellation,
        observer: Arc<dyn Observer>,
        deps: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Self {
        let (session, metadata) = (state.session().clone(), Arc::default());
        Self { session, key, state, cancellation, observer, deps, metadata }
    }

    /// The typed dependencies that the agent was given, if they are of this type.
    pub fn deps<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.deps.as_deref()?.downcast_ref()
    }

    /// Leaves a value for people and programs, journaled with the outcome under a name; the
    /// model never sees it. A later one of the same name takes its place.
    pub fn attach(&self, name: impl Into<String>, value: Value) {
        self.metadata().insert(name, value);
    }

    /// Takes what was attached so far; for whoever runs the call.
    pub fn take_metadata(&self) -> Metadata {
        std::mem::take(&mut *self.metadata())
    }

    fn metadata(&self) -> MutexGuard<'_, Metadata> {
        self.metadata.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whoever listens how far the call got.
    pub fn progress(&self, message: &str) {
        if self.observer.listens() {
            let index = self.key.index;
            self.observer.live(&self.session, &LiveEvent::ToolProgress { index, message });
        }
    }
}

impl std::fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolContext").field("key", &self.key).finish_non_exhaustive()
    }
}
