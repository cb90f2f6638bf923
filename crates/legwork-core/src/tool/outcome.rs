//! What came of a tool call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::SessionId;
use crate::nesting::shallow;
use crate::string_enum::string_enum;
use crate::time::Timestamp;

string_enum! {
    /// Why a call failed.
    FailureKind {
        /// The body said so, softly: the model is told.
        Soft = "soft",
        /// The body said so, hard: the error policy decides.
        Hard = "hard",
        /// It ran longer than its limit.
        Timeout = "timeout",
        /// Its arguments do not fit the schema.
        InvalidArguments = "invalid_arguments",
        /// No tool of that name was shown.
        UnknownTool = "unknown_tool",
        /// It asked for too many retries.
        RetriesExhausted = "retries_exhausted",
        /// The tool is not the one that the model was shown.
        ToolChanged = "tool_changed",
        /// The session that its subagent was to work in is another one's.
        SessionTaken = "session_taken",
        /// Its body panicked.
        Panicked = "panicked",
    }
}

/// What a call waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Deferral {
    /// A result from outside.
    External,
    /// A point in time.
    Until(Timestamp),
    /// What comes of another session, a subagent's, when that goes on.
    Session(SessionId),
}

/// What came of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolOutcome {
    /// It gave a value.
    Ok(Value),
    /// The model shall try again, for this reason.
    Retry(String),
    /// It failed.
    Failed(FailureKind, String),
    /// A hook or guard blocked it.
    Blocked {
        /// Who blocked it.
        by: String,
        /// Why.
        reason: String,
    },
    /// A person denied it.
    Denied {
        /// Who denied it.
        by: String,
        /// Why.
        reason: String,
    },
    /// Its result comes later.
    Deferred(Deferral),
    /// It was cut off: it may or may not have happened.
    Interrupted,
    /// It was not run, for this reason.
    Skipped(String),
    /// Its approval was withdrawn.
    Withdrawn,
}

impl ToolOutcome {
    /// A text value.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Ok(Value::String(text.into()))
    }

    /// A value that serialises; a soft failure if it cannot be JSON.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Self {
        match serde_json::to_value(value) {
            Ok(value) => Self::Ok(value),
            Err(error) => Self::failed(format!("the result cannot be JSON: {error}")),
        }
    }

    /// A soft failure, told to the model.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(FailureKind::Soft, message.into())
    }

    /// The same, with a value that is nested too deeply for a journal given as its text. The
    /// model reads the same of both.
    #[must_use]
    pub fn for_journal(self) -> Self {
        match self {
            Self::Ok(value) => Self::Ok(shallow(value)),
            outcome => outcome,
        }
    }

    /// Whether the call succeeded.
    pub fn is_ok(&self) -> bool {
        matches!(self, Self::Ok(_))
    }

    /// The answer as the model reads it.
    pub fn for_model(&self) -> String {
        match self {
            Self::Ok(Value::String(text)) => text.clone(),
            Self::Ok(value) => value.to_string(),
            Self::Retry(message) => message.clone(),
            Self::Failed(_, message) => message.clone(),
            Self::Blocked { by, reason } => format!("Blocked by {by}: {reason}"),
            Self::Denied { by, reason } => format!("Denied by {by}: {reason}"),
            Self::Deferred(_) => "The result comes later.".to_owned(),
            Self::Interrupted => {
                "Interrupted: it may or may not have happened. Check before you repeat it."
                    .to_owned()
            }
            Self::Skipped(reason) => format!("Not run: {reason}"),
            Self::Withdrawn => "Not run: the approval was withdrawn.".to_owned(),
        }
    }
}
