//! How a command ended, kept for people and programs with the result of its call.

use legwork_port::ToolContext;
use legwork_port::core::tool::Metadata;
use serde_json::Value;

use crate::process::End;

/// The name of the exit code in the metadata of a result.
pub const EXIT_CODE: &str = "exit_code";
/// The name of the signal that killed the command in the metadata of a result.
pub const SIGNAL: &str = "signal";

/// How a command ended by itself.
///
/// A command that exits with 1 has an outcome that is `Ok`: the model reads what it
/// printed. People and programs find here whether it succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// It exited with this code.
    Exited(i32),
    /// This signal killed it.
    Signalled(i32),
}

impl Ending {
    /// The ending in the metadata of a result; none where the result is not a command's, or
    /// the command was ended from outside.
    #[must_use]
    pub fn of(metadata: &Metadata) -> Option<Self> {
        let number = |name| {
            let number = metadata.get(name).and_then(Value::as_i64);
            number.and_then(|number| i32::try_from(number).ok())
        };
        let signalled = || number(SIGNAL).map(Self::Signalled);
        number(EXIT_CODE).map(Self::Exited).or_else(signalled)
    }

    /// Whether the command succeeded: it exited with 0.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Exited(0)
    }

    pub(crate) fn from_end(end: End) -> Option<Self> {
        match end {
            End::Exited(code) => Some(Self::Exited(code)),
            End::Signalled(signal) => Some(Self::Signalled(signal)),
            End::Asked | End::Killed | End::Stuck | End::Exceeded(_) => None,
        }
    }

    /// Leaves it in the metadata of a call.
    pub(super) fn attach(self, cx: &ToolContext) {
        match self {
            Self::Exited(code) => cx.attach(EXIT_CODE, code.into()),
            Self::Signalled(signal) => cx.attach(SIGNAL, signal.into()),
        }
    }
}
