//! Errors as facts: what went wrong, where it came from, what to do.

use std::any::Any;

use serde::{Deserialize, Serialize};

use crate::id::CallId;
use crate::string_enum::string_enum;

string_enum! {
    /// What kind of thing went wrong; error policies go by it.
    ErrorKind {
        /// A model could not answer.
        Model = "model",
        /// A model refused for its rate limit.
        RateLimit = "rate_limit",
        /// Something took too long.
        Timeout = "timeout",
        /// A tool failed.
        Tool = "tool",
        /// Arguments or output did not fit their schema.
        Validation = "validation",
        /// A response came cut or without its end.
        Incomplete = "incomplete",
        /// A state was handed back that does not extend the one handed in.
        Lineage = "lineage",
        /// A hook or lifecycle failed.
        Hook = "hook",
        /// A hook or lifecycle changed what may not change at that point.
        NotAllowed = "not_allowed",
        /// A criterion failed.
        Criterion = "criterion",
        /// A limit refused the call.
        Budget = "budget",
        /// The agent is set up wrongly.
        Configuration = "configuration",
        /// Code that the agent was given panicked.
        Panicked = "panicked",
    }
}

/// Where an error came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorSource {
    /// The model or its wire.
    Model,
    /// A tool, named by its call.
    Tool(CallId),
    /// A hook or lifecycle, by name.
    Hook(String),
    /// A criterion, by name.
    Criterion(String),
    /// The driver that makes the step.
    Driver,
}

/// An error as it is journaled and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorRecord {
    /// Where it came from.
    pub source: ErrorSource,
    /// What kind it is.
    pub kind: ErrorKind,
    /// What was tried, what happened, what to do.
    pub message: String,
    /// The HTTP status, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The provider's error code, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Whether trying again may help.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retryable: bool,
}

impl ErrorRecord {
    /// An error of a kind, from a source.
    pub fn new(source: ErrorSource, kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { source, kind, message: message.into(), status: None, code: None, retryable: false }
    }

    /// Whether the step cannot go on after it.
    ///
    /// Errors of tools are told to the model, errors of hooks that are no gate are only
    /// recorded.
    pub fn ends_step(&self) -> bool {
        match self.source {
            ErrorSource::Model | ErrorSource::Driver | ErrorSource::Criterion(_) => true,
            ErrorSource::Tool(_) | ErrorSource::Hook(_) => false,
        }
    }
}

impl ErrorRecord {
    /// Whether the same step may succeed when it is made anew: the model, its provider or the
    /// network failed, or the agent was set up wrongly, and a person may have mended that.
    pub fn may_pass(&self) -> bool {
        use ErrorKind::{Configuration, Incomplete, Model, RateLimit, Timeout};
        match self.source {
            ErrorSource::Model => {
                matches!(self.kind, Model | RateLimit | Timeout | Incomplete | Configuration)
            }
            ErrorSource::Driver => self.kind == Configuration,
            ErrorSource::Tool(_) | ErrorSource::Hook(_) | ErrorSource::Criterion(_) => false,
        }
    }
}

impl std::fmt::Display for ErrorRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// What a panic said; empty if it had no words.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
