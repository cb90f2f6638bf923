//! Errors as data, as they are journaled.

use std::any::Any;

use serde::{Deserialize, Serialize};

use crate::id::CallId;
use crate::string_enum::string_enum;

string_enum! {
    /// The kind of an error, by which error policies decide.
    ErrorKind {
        /// A model did not answer.
        Model = "model",
        /// A model refused a request because of a rate limit or a quota.
        RateLimit = "rate_limit",
        /// A time limit was exceeded.
        Timeout = "timeout",
        /// A request was longer than the model's window.
        ContextOverflow = "context_overflow",
        /// A tool failed.
        Tool = "tool",
        /// Arguments or output did not fit their schema.
        Validation = "validation",
        /// A response broke off.
        Incomplete = "incomplete",
        /// A returned state does not extend the state that was passed in.
        Lineage = "lineage",
        /// A hook or lifecycle failed.
        Hook = "hook",
        /// A hook or lifecycle made a change that is not allowed at that point.
        NotAllowed = "not_allowed",
        /// A criterion failed.
        Criterion = "criterion",
        /// A limit of the budget refused the call.
        Budget = "budget",
        /// The agent is configured wrongly.
        Configuration = "configuration",
        /// Code that was given to the agent panicked.
        Panicked = "panicked",
    }
}

/// The source of an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorSource {
    /// The model or its wire.
    Model,
    /// A tool, by the id of the call.
    Tool(CallId),
    /// A hook or lifecycle, by its name.
    Hook(String),
    /// A criterion, by its name.
    Criterion(String),
    /// The driver that makes the step.
    Driver,
}

/// An error, as it is journaled and displayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorRecord {
    /// Where it came from.
    pub source: ErrorSource,
    /// What kind of error it is; error policies decide by it.
    pub kind: ErrorKind,
    /// What was tried, what happened and what to do.
    pub message: String,
    /// The HTTP status, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The provider's error code, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether a retry may succeed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retryable: bool,
}

impl ErrorRecord {
    /// An error with a source, a kind and a message.
    pub fn new(source: ErrorSource, kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { source, kind, message: message.into(), status: None, code: None, retryable: false }
    }

    /// Whether it ends the step.
    ///
    /// Errors of tools do not: the model reads them. Errors of hooks do not: they are recorded.
    pub fn ends_step(&self) -> bool {
        match self.source {
            ErrorSource::Model | ErrorSource::Driver | ErrorSource::Criterion(_) => true,
            ErrorSource::Tool(_) | ErrorSource::Hook(_) => false,
        }
    }
}

impl ErrorRecord {
    /// Whether the same step may succeed when it is made again.
    ///
    /// So for errors of the model, its provider and the network, for a wrong configuration, which a
    /// person may have corrected, and for a criterion that says so
    /// ([`retryable`](Self::retryable)).
    pub fn may_pass(&self) -> bool {
        use ErrorKind::{Configuration, ContextOverflow, Incomplete, Model, RateLimit, Timeout};
        match self.source {
            ErrorSource::Model => {
                let passes =
                    [Model, RateLimit, Timeout, Incomplete, Configuration, ContextOverflow];
                passes.contains(&self.kind)
            }
            ErrorSource::Driver => self.kind == Configuration,
            ErrorSource::Criterion(_) => self.retryable,
            // What a gate held back is not let through by a second try that does not ask it.
            ErrorSource::Tool(_) | ErrorSource::Hook(_) => false,
        }
    }
}

impl std::fmt::Display for ErrorRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// The message of a panic; empty if the payload is not a text.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
