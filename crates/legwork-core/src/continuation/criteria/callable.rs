//! Criteria made of closures.

use crate::continuation::{Criterion, Decision, Error, Kind};
use crate::state::AgentState;

/// A criterion made of a closure by [`criterion`].
#[derive(Debug, Clone)]
pub struct Callable<F> {
    name: String,
    kind: Kind,
    decide: F,
}

/// A criterion made of a name and a pure closure.
///
/// An error forbids the next step. With the name of a default criterion it replaces that one.
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
    F: Fn(&AgentState) -> Result<Option<Decision>, Error> + Send + Sync,
{
    Callable { name: name.into(), kind: Kind::Ordinary, decide }
}

impl<F> Callable<F> {
    /// The same as a limit: evaluated only if the execution would go on, and before each step.
    #[must_use]
    pub fn limit(self) -> Self {
        Self { kind: Kind::Limit, ..self }
    }
}

impl<F> Criterion for Callable<F>
where
    F: Fn(&AgentState) -> Result<Option<Decision>, Error> + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> Kind {
        self.kind
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, Error> {
        (self.decide)(state)
    }
}
