//! A criterion from a closure.

use crate::continuation::{Criterion, Decision, Kind};
use crate::state::AgentState;

/// A criterion from a closure; made by [`criterion`].
#[derive(Debug, Clone)]
pub struct Callable<F> {
    name: String,
    kind: Kind,
    decide: F,
}

/// A criterion with a name from a pure closure over the state.
///
/// An error forbids the next step. The name should be none that ships.
///
/// ```
/// use legwork_core::continuation::criterion;
/// use legwork_core::{AgentState, Decision, StopReason, StopSignal};
/// let short = criterion("short", |state: &AgentState| {
///     let long = state.context().transcript.messages().len() > 100;
///     let signal = || StopSignal::new(StopReason::StopRequested, "short", "it is enough");
///     Ok(long.then(|| Decision::Forbid(signal())))
/// })
/// .limit();
/// ```
pub fn criterion<F>(name: impl Into<String>, decide: F) -> Callable<F>
where
    F: Fn(&AgentState) -> Result<Option<Decision>, String> + Send + Sync,
{
    Callable { name: name.into(), kind: Kind::Ordinary, decide }
}

impl<F> Callable<F> {
    /// The same as a limit: asked only when the turn would go on, and before each step.
    #[must_use]
    pub fn limit(self) -> Self {
        Self { kind: Kind::Limit, ..self }
    }
}

impl<F> Criterion for Callable<F>
where
    F: Fn(&AgentState) -> Result<Option<Decision>, String> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, String> {
        (self.decide)(state)
    }
}
