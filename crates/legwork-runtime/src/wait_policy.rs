//! What a run does where it would have to wait.

use legwork_core::OnDoubt;

/// What a run does where it would have to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct WaitPolicy {
    /// The answer to calls in doubt, whatever their tools say.
    pub on_doubt: Option<OnDoubt>,
    /// What it does while all calls that wait do so for a time.
    pub timers: Timers,
}

/// What a run does while all calls that wait do so for a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Timers {
    /// It waits, and goes on at that time.
    #[default]
    Await,
    /// It rests, and a later run goes on. So a worker holds no session that only waits.
    Rest,
}

impl WaitPolicy {
    /// The same with an answer to calls in doubt, if there is one.
    #[must_use]
    pub fn on_doubt(self, on_doubt: Option<OnDoubt>) -> Self {
        Self { on_doubt, ..self }
    }
}
