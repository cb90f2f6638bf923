//! What becomes of an execution when a change is left out.

use legwork_core::ErrorKind;
use legwork_port::Trigger;

/// What becomes of an execution when a hook changed what its trigger does not allow. The
/// change is left out and reported either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// It is recorded as an error, and the execution goes on.
    #[default]
    Report,
    /// It is an error that fails the execution.
    Strict,
}

impl Strictness {
    /// Whether an execution fails by a change that was left out. One that is over cannot.
    pub(crate) fn fails(self, trigger: Trigger, kind: &ErrorKind) -> bool {
        self == Self::Strict && *kind == ErrorKind::NotAllowed && trigger != Trigger::ExecutionEnd
    }
}
