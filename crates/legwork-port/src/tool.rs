//! Tools: what a model may call.

use std::any::{Any, type_name};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::budget::Amounts;
use legwork_core::tool::{FailureKind, Metadata};
use legwork_core::{AgentState, EffectKey, SessionId, ToolCall, ToolOutcome, ToolSpec};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::observer::Origin;
use crate::{BoxFuture, Cancellation, Deps, Emitter, EventKind};

/// One callable.
pub trait Tool: Send + Sync {
    /// What it is. The same every time.
    fn spec(&self) -> Arc<ToolSpec>;

    /// Runs a call whose arguments fit the schema.
    ///
    /// When it returns, its effect has happened or it says why not. Dropping the future
    /// must end whatever it began, child processes too.
    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome>;

    /// The key of the resource that a call with these arguments works on.
    ///
    /// Calls of a turn with equal keys never interleave. It is asked only of a tool whose spec
    /// names a resource, right before the batch that the call may run in, and must be quick.
    /// By default the key is made of the argument's text ([`ToolSpec::resource_of`]); a tool
    /// that knows which texts name one thing gives one key for them.
    fn resource(&self, arguments: &Value) -> Option<String> {
        self.spec().resource_of(arguments)
    }
}

impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn spec(&self) -> Arc<ToolSpec> {
        (**self).spec()
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        (**self).call(call, cx)
    }

    fn resource(&self, arguments: &Value) -> Option<String> {
        (**self).resource(arguments)
    }
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
    arguments: Option<Parsed>,
    events: Emitter,
    deps: Deps,
    left: Arc<Mutex<Left>>,
}

/// Arguments as they were parsed.
#[derive(Debug, Clone)]
struct Parsed {
    text: Arc<str>,
    value: Arc<Value>,
}

/// What a call leaves beside its outcome.
#[derive(Debug, Default)]
struct Left {
    metadata: Metadata,
    used: Amounts,
}

impl ToolContext {
    /// A context for the call with a key; its events go to nobody, and it has no dependencies.
    pub fn new(state: AgentState, key: EffectKey, cancellation: Cancellation) -> Self {
        let session = state.session().clone();
        let (events, deps, left) =
            (Emitter::none(session.clone()), Deps::default(), Arc::default());
        Self { session, key, state, cancellation, arguments: None, events, deps, left }
    }

    /// The same with the arguments of a call as they were parsed.
    #[must_use]
    pub fn with_arguments(self, call: &ToolCall, value: Arc<Value>) -> Self {
        let arguments = Some(Parsed { text: Arc::clone(&call.arguments), value });
        Self { arguments, ..self }
    }

    /// The arguments of a call as a type.
    ///
    /// Their JSON was parsed when they were checked against the schema, and is not parsed again.
    /// A call with other arguments, as a tool makes for another tool, is parsed here.
    ///
    /// # Errors
    /// A failure for the model that says what does not fit.
    pub fn arguments<T: DeserializeOwned>(&self, call: &ToolCall) -> Result<T, ToolOutcome> {
        let parsed = self.arguments.as_ref().filter(|parsed| parsed.text == call.arguments);
        let arguments = match parsed {
            Some(parsed) => T::deserialize(&*parsed.value),
            None => call.parse().and_then(serde_json::from_value),
        };
        arguments.map_err(|error| {
            let message = format!("the arguments of `{}` do not fit: {error}", call.name);
            ToolOutcome::Failed(FailureKind::InvalidArguments, message)
        })
    }

    /// The same with its events sent by an emitter.
    #[must_use]
    pub fn with_events(self, events: Emitter) -> Self {
        Self { events, ..self }
    }

    /// Where the agent stands in a tree of agents.
    pub fn origin(&self) -> &Arc<Origin> {
        self.events.origin()
    }

    /// The same with other dependencies.
    #[must_use]
    pub fn with_deps(self, deps: Deps) -> Self {
        Self { deps, ..self }
    }

    /// The dependency of this type, if the agent was given one.
    pub fn dep<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.deps.get()
    }

    /// The dependency of this type, for a tool that cannot work without it.
    ///
    /// # Errors
    /// A hard failure that says which type the agent was not given.
    pub fn need<T: Any + Send + Sync>(&self) -> Result<&T, ToolOutcome> {
        self.dep().ok_or_else(|| {
            let message = format!(
                "the agent was given no dependency of the type `{}`: give it one when it is built",
                type_name::<T>()
            );
            ToolOutcome::Failed(FailureKind::Hard, message)
        })
    }

    /// Leaves a value for people and programs, journaled with the outcome under a name; the
    /// model never sees it. A later one of the same name takes its place.
    pub fn attach(&self, name: impl Into<String>, value: Value) {
        self.left().metadata.insert(name, value);
    }

    /// Charges the agent's budget for what the call used: tokens and money of models that
    /// it asked itself. What was charged before is added to.
    pub fn charge(&self, used: &Amounts) {
        let mut left = self.left();
        left.used = left.used.plus(used);
    }

    /// Takes what was attached so far; for whoever runs the call.
    pub fn take_metadata(&self) -> Metadata {
        std::mem::take(&mut self.left().metadata)
    }

    /// Takes what was charged so far; for whoever runs the call.
    pub fn take_used(&self) -> Amounts {
        std::mem::take(&mut self.left().used)
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies observers of how far the call is.
    pub fn progress(&self, message: &str) {
        let index = self.key.index;
        self.events.emit(|| EventKind::ToolProgress { index, message: message.to_owned() });
    }
}

impl std::fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolContext").field("key", &self.key).finish_non_exhaustive()
    }
}
