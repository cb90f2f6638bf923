//! Tools, which models call.

use std::any::{Any, type_name};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::budget::Amounts;
use legwork_core::tool::{FailureKind, Metadata, Supplied};
use legwork_core::{AgentState, EffectKey, SessionId, ToolCall, ToolOutcome, ToolSpec};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::observer::Origin;
use crate::whole_numbers;
use crate::{
    Admission, AdmittedCall, BoxFuture, Cancellation, Dep, Deps, Emitter, EventKind, Undo,
};

/// A tool: a function that a model can call.
pub trait Tool: Send + Sync {
    /// Its spec; must always be the same.
    fn spec(&self) -> Arc<ToolSpec>;

    /// Runs a call whose arguments fit the schema.
    ///
    /// When it returns, its effect has happened, or the outcome says why not. Dropping the future
    /// must end everything that it started, child processes too.
    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome>;

    /// Whether a call may run, or a person has to approve it first.
    ///
    /// Asked when the call is judged, after its arguments were found to fit the schema, and once
    /// more if a hook changed them; after a crash it is asked again. It must be quick, have no
    /// effect, and give the same answer for the same arguments and state.
    fn admit(&self, call: &AdmittedCall<'_>) -> Admission {
        let _ = call;
        Admission::Run
    }

    /// The key of the resource that a call with these arguments works on.
    ///
    /// Calls of a turn with equal keys run one after the other. It is called only if the spec
    /// names a resource, just before the batch in which the call may run, and must be quick.
    /// By default the key is the text of the argument ([`ToolSpec::resource_of`]); override it if
    /// different texts can name the same resource.
    fn resource(&self, arguments: &Value) -> Option<String> {
        self.spec().resource_of(arguments)
    }

    /// How its calls are taken back; none if they cannot be.
    ///
    /// By default they cannot. A tool that wraps another one gives what that gives.
    fn undo(&self) -> Option<&dyn Undo> {
        None
    }

    /// The decorators that it went through, the innermost first, behind the name of its toolset.
    ///
    /// For people who ask where a tool comes from. By default there is none; only a tool that
    /// wraps another one overrides it.
    fn chain(&self) -> Vec<Arc<str>> {
        Vec::new()
    }
}

impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn spec(&self) -> Arc<ToolSpec> {
        (**self).spec()
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        (**self).call(call, cx)
    }

    fn admit(&self, call: &AdmittedCall<'_>) -> Admission {
        (**self).admit(call)
    }

    fn resource(&self, arguments: &Value) -> Option<String> {
        (**self).resource(arguments)
    }

    fn undo(&self) -> Option<&dyn Undo> {
        (**self).undo()
    }

    fn chain(&self) -> Vec<Arc<str>> {
        (**self).chain()
    }
}

/// The context of a running call; the model never sees it.
#[derive(Clone)]
pub struct ToolContext {
    /// The id of the session.
    pub session: SessionId,
    /// The idempotency key of this call; the same if it is run again.
    pub key: EffectKey,
    /// The state when the call began.
    pub state: AgentState,
    /// Raised when the call ends, however it ends. The future of the body is dropped at the same
    /// time, so this is for what the body started in tasks or threads of its own.
    pub cancellation: Cancellation,
    arguments: Option<Parsed>,
    events: Emitter,
    deps: Deps,
    left: Arc<Mutex<Left>>,
}

/// Arguments, as text and parsed.
#[derive(Debug, Clone)]
struct Parsed {
    text: Arc<str>,
    value: Arc<Value>,
}

/// What a call adds to its outcome.
#[derive(Debug, Default)]
struct Left {
    metadata: Metadata,
    used: Amounts,
}

impl ToolContext {
    /// A context for a call, without an observer and dependencies.
    pub fn new(state: AgentState, key: EffectKey, cancellation: Cancellation) -> Self {
        let events = Emitter::none(state.session().clone());
        Self::of_run(state, key, cancellation, events, Deps::default())
    }

    /// A context for a call of a run, with its emitter and its dependencies.
    pub fn of_run(
        state: AgentState,
        key: EffectKey,
        cancellation: Cancellation,
        events: Emitter,
        deps: Deps,
    ) -> Self {
        let (session, left) = (state.session().clone(), Arc::default());
        Self { session, key, state, cancellation, arguments: None, events, deps, left }
    }

    /// The same with the arguments of a call, already parsed.
    #[must_use]
    pub fn with_arguments(self, call: &ToolCall, value: Arc<Value>) -> Self {
        let arguments = Some(Parsed { text: Arc::clone(&call.arguments), value });
        Self { arguments, ..self }
    }

    /// Deserializes the arguments of a call.
    ///
    /// Their JSON was parsed when it was validated, and is not parsed again. The arguments of
    /// another call, which a tool makes to another tool, are parsed here. A whole number may be
    /// written with a fraction of zero, as JSON Schema has it and models write it.
    ///
    /// # Errors
    /// A failure for the model that says what does not fit.
    pub fn arguments<T: DeserializeOwned>(&self, call: &ToolCall) -> Result<T, ToolOutcome> {
        let parsed = self.arguments.as_ref().filter(|parsed| parsed.text == call.arguments);
        let arguments = match parsed {
            Some(parsed) => whole_numbers::read(&parsed.value),
            None => call.parse().and_then(|value| whole_numbers::read(&value)),
        };
        arguments.map_err(|error| {
            let message = format!("the arguments of `{}` do not fit: {error}", call.name);
            ToolOutcome::Failed(FailureKind::InvalidArguments, message)
        })
    }

    /// The same with an emitter for its events.
    #[must_use]
    pub fn with_events(self, events: Emitter) -> Self {
        Self { events, ..self }
    }

    /// The session, and its path in a tree of agents.
    pub fn origin(&self) -> &Arc<Origin> {
        self.events.origin()
    }

    /// Whether a person approved this call.
    ///
    /// A body that asked for approval ([`ToolOutcome::NeedsApproval`]) runs again with it.
    pub fn approved(&self) -> bool {
        self.state.call(self.key.index).is_some_and(|slot| slot.approved)
    }

    /// What the body of this call asked a person or the model for and was supplied, oldest first.
    ///
    /// A body that asked for input ([`ToolOutcome::NeedsInput`]) runs again with it, and may ask
    /// for more: what it did before it asked is done again, unless it looks here first.
    pub fn supplied(&self) -> &[Supplied] {
        self.state.call(self.key.index).map_or(&[], |slot| &slot.supplied)
    }

    /// Which attempt of the model at this tool this is: 1, and one more for each call in a row
    /// whose arguments did not fit or that asked for a correction.
    pub fn attempt(&self) -> u32 {
        let name = self.state.call(self.key.index).map(|slot| &slot.call.name);
        let before = name.and_then(|name| self.state.execution()?.retries.get(name));
        before.copied().unwrap_or(0).saturating_add(1)
    }

    /// The dependencies that the agent was given.
    pub fn deps(&self) -> &Deps {
        &self.deps
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
        self.dep().ok_or_else(lacks::<T>)
    }

    /// The same, shared: it may be moved into tasks and threads.
    ///
    /// # Errors
    /// As [`need`](Self::need).
    pub fn need_shared<T: Any + Send + Sync>(&self) -> Result<Dep<T>, ToolOutcome> {
        self.deps.shared().ok_or_else(lacks::<T>)
    }

    /// Adds a value to the metadata of the outcome, replacing one of the same name.
    ///
    /// It is journaled for people and programs; the model never sees it.
    pub fn attach(&self, name: impl Into<String>, value: Value) {
        self.left().metadata.insert(name, value);
    }

    /// Charges the agent's budget, in addition to earlier charges of the call.
    ///
    /// For tokens and money of models that the tool itself used.
    pub fn charge(&self, used: &Amounts) {
        let mut left = self.left();
        left.used = left.used.plus(used);
    }

    /// Removes and returns the attached values; for the code that runs the call.
    pub fn take_metadata(&self) -> Metadata {
        std::mem::take(&mut self.left().metadata)
    }

    /// Removes and returns the charges; for the code that runs the call.
    pub fn take_used(&self) -> Amounts {
        std::mem::take(&mut self.left().used)
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports the progress of the call to observers: a text, or any other value.
    ///
    /// They read a value as its type by [`RunEvent::progress_as`], or as JSON. If nobody observes
    /// the run, it is not serialized.
    ///
    /// [`RunEvent::progress_as`]: crate::RunEvent::progress_as
    pub fn progress<T: Serialize + ?Sized>(&self, progress: &T) {
        self.events.emit(|| EventKind::progress(self.key.index, progress));
    }
}

/// The outcome of a call whose tool needs a dependency that the agent was not given.
fn lacks<T>() -> ToolOutcome {
    let message = format!(
        "the agent was given no dependency of the type `{}`: give it one when it is built",
        type_name::<T>()
    );
    ToolOutcome::Failed(FailureKind::Hard, message)
}

impl std::fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolContext").field("key", &self.key).finish_non_exhaustive()
    }
}
