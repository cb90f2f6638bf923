//! One hook: a name, a priority, triggers, and a function on the state.

use std::future::Future;
use std::sync::Arc;

use legwork_core::{AgentState, ToolSpec};
use legwork_port::{BoxFuture, Trigger};

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
    /// The tools that there are.
    pub tools: Arc<Vec<Arc<ToolSpec>>>,
}

/// Why a hook failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HookError(pub String);

impl HookError {
    /// An error in words.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

type Function =
    dyn Fn(AgentState, Cx) -> BoxFuture<'static, Result<AgentState, HookError>> + Send + Sync;

/// A function on one or more triggers.
#[derive(Clone)]
pub struct Hook {
    pub(super) name: String,
    pub(super) priority: i32,
    pub(super) triggers: Vec<Trigger>,
    pub(super) gate: bool,
    pub(super) function: Arc<Function>,
}

/// A hook from a function or async closure.
///
/// ```
/// use legwork_agent::hook;
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
    R: Future<Output = Result<AgentState, HookError>> + Send + 'static,
{
    Hook {
        name: name.into(),
        priority: priority::DEFAULT,
        triggers: triggers.into_iter().collect(),
        gate: false,
        function: Arc::new(move |state, cx| Box::pin(function(state, cx))),
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

    pub(super) fn is_gate(&self) -> bool {
        self.gate || self.priority >= priority::GUARDS
    }
}
