//! One hook: a name, a priority, triggers, and what it does to the state.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::AgentState;
use legwork_port::{BoxFuture, StepView, Trigger};

use super::Error;
use super::body::{Body, Closure};

/// The priorities of what ships; a higher one runs first.
pub mod priority {
    /// Cancellation.
    pub const CANCELLATION: i32 = 250;
    /// Guards; from here on a hook is a gate.
    pub const GUARDS: i32 = 200;
    /// What prepares the context.
    pub const CONTEXT: i32 = 100;
    /// Everything else.
    pub const DEFAULT: i32 = 0;
    /// Compaction.
    pub const COMPACTION: i32 = -200;
    /// History.
    pub const HISTORY: i32 = -1000;
}

/// What a hook is told beside the state; owned, so that async closures fit.
#[derive(Debug, Clone)]
pub struct Cx {
    /// The trigger that fired.
    pub trigger: Trigger,
    /// The tools that there are, the time, the dependencies, the place in a tree of agents.
    pub view: Arc<StepView>,
}

/// A hook as a type, with what it holds; a closure needs only [`hook`].
pub trait Handler: Send + Sync + 'static {
    /// The name that descriptions and errors show.
    fn name(&self) -> &str;

    /// When it runs.
    fn triggers(&self) -> Vec<Trigger>;

    /// When it runs among others; the higher first.
    fn priority(&self) -> i32 {
        priority::DEFAULT
    }

    /// What it does to the state; what it returns extends what it was given, and changes
    /// only what the trigger allows ([`allowed`](crate::allowed)).
    ///
    /// # Errors
    /// Why it failed: the state that it was given is restored.
    fn handle(&self, state: AgentState, cx: Cx) -> BoxFuture<'_, Result<AgentState, Error>>;
}

/// A hook on one or more triggers.
#[derive(Clone)]
pub struct Hook {
    pub(super) name: Arc<str>,
    pub(super) priority: i32,
    pub(super) triggers: Arc<[Trigger]>,
    pub(super) gate: bool,
    pub(super) timeout: Option<Duration>,
    inherited: bool,
    pub(super) body: Arc<dyn Body>,
}

impl<H: Handler> From<H> for Hook {
    fn from(handler: H) -> Self {
        Self {
            name: handler.name().into(),
            priority: handler.priority(),
            triggers: handler.triggers().into(),
            gate: false,
            timeout: None,
            inherited: false,
            body: Arc::new(handler),
        }
    }
}

/// A hook from a function or async closure.
///
/// ```
/// use legwork_lifecycle::hook;
/// use legwork_port::Trigger;
///
/// let polite = hook("polite", [Trigger::StepStart], |state, _cx| async move {
///     Ok(state.with_metadata("polite", Some(true.into())))
/// });
/// # let _ = polite;
/// ```
pub fn hook<F, R>(
    name: impl Into<String>,
    triggers: impl IntoIterator<Item = Trigger>,
    function: F,
) -> Hook
where
    F: Fn(AgentState, Cx) -> R + Send + Sync + 'static,
    R: Future<Output = Result<AgentState, Error>> + Send + 'static,
{
    Hook {
        name: name.into().into(),
        priority: priority::DEFAULT,
        triggers: triggers.into_iter().collect(),
        gate: false,
        timeout: None,
        inherited: false,
        body: Arc::new(Closure::new(function)),
    }
}

impl Hook {
    /// The same with another priority; the higher runs first.
    #[must_use]
    pub fn priority(self, priority: i32) -> Self {
        Self { priority, ..self }
    }

    /// The same as a gate: when it fails, the call is blocked or the execution stopped.
    #[must_use]
    pub fn gate(self) -> Self {
        Self { gate: true, ..self }
    }

    /// The same with a time limit: a hook that takes longer failed.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// The same, going along to subagents.
    #[must_use]
    pub fn inherited(self) -> Self {
        Self { inherited: true, ..self }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// When it runs.
    pub fn triggers(&self) -> &[Trigger] {
        &self.triggers
    }

    /// When it runs among others; the higher first.
    pub fn priority_of(&self) -> i32 {
        self.priority
    }

    /// How long it may take; none = as long as it takes.
    pub fn timeout_of(&self) -> Option<Duration> {
        self.timeout
    }

    /// Whether it fails closed: it was marked so, or has the priority of a guard.
    pub fn is_gate(&self) -> bool {
        self.gate || self.priority >= priority::GUARDS
    }

    /// Whether it goes along to subagents: it was marked so, or is a gate.
    ///
    /// A subagent has the tools of its parent, and so what keeps them from being used.
    pub fn is_inherited(&self) -> bool {
        self.inherited || self.is_gate()
    }
}

impl std::fmt::Debug for Hook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut hook = f.debug_struct("Hook");
        hook.field("name", &self.name).field("priority", &self.priority);
        hook.field("triggers", &self.triggers).finish_non_exhaustive()
    }
}
