//! The outcome of a tool call.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval;
use crate::id::SessionId;
use crate::lean;
use crate::message::ResultPart;
use crate::string_enum::string_enum;
use crate::time::Timestamp;
use crate::tool::InputRequest;

string_enum! {
    /// Why a call failed.
    FailureKind {
        /// The body reported an error; the model reads it and goes on.
        Soft = "soft",
        /// The body reported an error after which going on is useless; the error policy decides.
        Hard = "hard",
        /// It exceeded its time limit.
        Timeout = "timeout",
        /// Its arguments do not fit the schema.
        InvalidArguments = "invalid_arguments",
        /// No tool of that name was shown.
        UnknownTool = "unknown_tool",
        /// It asked for more retries in a row than it may have.
        RetriesExhausted = "retries_exhausted",
        /// The tool changed since the model was shown it.
        ToolChanged = "tool_changed",
        /// The id of its subagent's session is taken by another session.
        SessionTaken = "session_taken",
        /// Its body panicked.
        Panicked = "panicked",
    }
}

/// What a call waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Deferral {
    /// A result from outside.
    External,
    /// A point in time.
    Until(Timestamp),
    /// The end of an execution in another session, a subagent's.
    Session(SessionId),
}

/// The result of a call that succeeded: its parts, in the order in which a model reads them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Output(#[serde(deserialize_with = "lean::few")] pub Vec<ResultPart>);

impl Output {
    /// It as one value: the JSON of its only part, or else its text.
    pub fn to_value(&self) -> Value {
        match &self.0[..] {
            [ResultPart::Json(value)] => value.clone(),
            parts => Value::String(ResultPart::joined(parts).into_owned()),
        }
    }

    /// It with values that a journal cannot hold as their text.
    fn for_journal(self) -> Self {
        match self.0.iter().all(ResultPart::fits) {
            true => self,
            false => Self(self.0.into_iter().map(ResultPart::for_journal).collect()),
        }
    }
}

/// The outcome of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolOutcome {
    /// It succeeded, with this result.
    Ok(Output),
    /// The model should try again, for this reason.
    Retry(String),
    /// It failed.
    Failed(FailureKind, String),
    /// A hook or guard blocked it.
    Blocked {
        /// The name of the hook.
        by: String,
        /// Why.
        reason: String,
    },
    /// A person denied it.
    Denied {
        /// The name of the person.
        by: String,
        /// Why.
        reason: String,
    },
    /// It succeeded, and its result is the output of the execution, which ends with it.
    Finished(Output),
    /// It asks to stop the execution, for this reason.
    Stopped(String),
    /// Its result comes later; it is never an answer.
    Deferred(Deferral),
    /// A person has to approve it before it runs again; it is never an answer.
    NeedsApproval(Box<approval::Request>),
    /// A person has to supply input before it runs again; it is never an answer.
    NeedsInput(Box<InputRequest>),
    /// It was interrupted: its effect may or may not have happened.
    Interrupted,
    /// It was not run, for this reason.
    Skipped(String),
    /// Its approval was withdrawn.
    Withdrawn,
}

impl ToolOutcome {
    /// Success, with a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::parts([ResultPart::Text(text.into())])
    }

    /// Success, with a JSON value; a string is a text.
    pub fn value(value: Value) -> Self {
        match value {
            Value::String(text) => Self::text(text),
            value => Self::parts([ResultPart::Json(value)]),
        }
    }

    /// Success, with several parts, in the order in which a model reads them.
    pub fn parts(parts: impl IntoIterator<Item = ResultPart>) -> Self {
        Self::Ok(Output(parts.into_iter().collect()))
    }

    /// Success, with a value that implements `Serialize`; a soft failure if it cannot be JSON.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Self {
        match serde_json::to_value(value) {
            Ok(value) => Self::value(value),
            Err(error) => Self::failed(format!("the result cannot be JSON: {error}")),
        }
    }

    /// A soft failure, which the model reads; the run goes on.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(FailureKind::Soft, message.into())
    }

    /// A request to the model to correct its call and make it again.
    ///
    /// The message says what to correct. The model is told how many attempts are left; after
    /// the last one it is a failure ([`FailureKind::RetriesExhausted`]).
    pub fn retry(message: impl Into<String>) -> Self {
        Self::Retry(message.into())
    }

    /// A hard failure: the run ends with it, unless the error policy allows it to go on.
    pub fn failed_hard(message: impl Into<String>) -> Self {
        Self::Failed(FailureKind::Hard, message.into())
    }

    /// Success, with a value that is the output of the execution, which ends with it.
    pub fn finished(value: Value) -> Self {
        match Self::value(value) {
            Self::Ok(output) => Self::Finished(output),
            other => other,
        }
    }

    /// A request to stop the execution, with a reason for people and the model.
    ///
    /// Calls of the turn that have not begun do not run.
    pub fn stopped(reason: impl Into<String>) -> Self {
        Self::Stopped(reason.into())
    }

    /// A request for a person's approval, with a reason; the call runs again once it is given.
    ///
    /// [`ToolContext::approved`] then says so.
    ///
    /// [`ToolContext::approved`]: ../../legwork_port/struct.ToolContext.html#method.approved
    pub fn needs_approval(reason: impl Into<String>) -> Self {
        Self::NeedsApproval(Box::new(approval::Request::new(reason)))
    }

    /// A request for a person's input, with a message; the call runs again once it is supplied.
    ///
    /// [`ToolContext::supplied`] then has it. An [`InputRequest`] says what it has to look like.
    ///
    /// [`ToolContext::supplied`]: ../../legwork_port/struct.ToolContext.html#method.supplied
    pub fn needs_input(message: impl Into<String>) -> Self {
        InputRequest::new(message).into()
    }

    /// A result that comes later, from outside.
    pub fn deferred() -> Self {
        Self::Deferred(Deferral::External)
    }

    /// A point in time at which the call runs again.
    pub fn deferred_until(time: Timestamp) -> Self {
        Self::Deferred(Deferral::Until(time))
    }

    /// The same, with values that are nested too deeply for a journal as their text.
    ///
    /// The model reads the same of both.
    #[must_use]
    pub fn for_journal(self) -> Self {
        match self {
            Self::Ok(output) => Self::Ok(output.for_journal()),
            Self::Finished(output) => Self::Finished(output.for_journal()),
            outcome => outcome,
        }
    }

    /// Whether the call succeeded.
    pub fn is_ok(&self) -> bool {
        self.output().is_some()
    }

    /// The result of a call that succeeded.
    pub fn output(&self) -> Option<&Output> {
        match self {
            Self::Ok(output) | Self::Finished(output) => Some(output),
            _ => None,
        }
    }

    /// Whether it answers the call; otherwise the call waits for something.
    pub fn is_answer(&self) -> bool {
        !matches!(self, Self::Deferred(_) | Self::NeedsApproval(_) | Self::NeedsInput(_))
    }

    /// The value of a call that succeeded with one text or one JSON value.
    ///
    /// None if it did not succeed, or has several parts, an image or a file.
    pub fn as_value(&self) -> Option<Cow<'_, Value>> {
        match self.output()?.0.as_slice() {
            [ResultPart::Text(text)] => Some(Cow::Owned(Value::String(text.clone()))),
            [ResultPart::Json(value)] => Some(Cow::Borrowed(value)),
            _ => None,
        }
    }

    /// The JSON value of a call that succeeded with one, and no other part.
    pub fn as_json(&self) -> Option<&Value> {
        match self.output()?.0.as_slice() {
            [ResultPart::Json(value)] => Some(value),
            _ => None,
        }
    }

    /// The content that a model reads.
    pub fn for_model(&self) -> Vec<ResultPart> {
        match self.output() {
            Some(Output(parts)) => parts.clone(),
            None => vec![ResultPart::Text(self.words())],
        }
    }

    /// The content as text; images and files as lines that name them.
    pub fn to_text(&self) -> String {
        match self.output() {
            Some(Output(parts)) => ResultPart::joined(parts).into_owned(),
            None => self.words(),
        }
    }

    /// What a model reads of a call that did not succeed.
    fn words(&self) -> String {
        match self {
            Self::Ok(_) | Self::Finished(_) => String::new(),
            Self::Stopped(reason) => format!("It stopped the execution: {reason}"),
            Self::Retry(message) => message.clone(),
            Self::Failed(_, message) => message.clone(),
            Self::Blocked { by, reason } => format!("Blocked by {by}: {reason}"),
            Self::Denied { by, reason } => format!("Denied by {by}: {reason}"),
            Self::Deferred(_) => "The result comes later.".to_owned(),
            Self::NeedsApproval(request) => format!("Not approved yet: {}", request.reason),
            Self::NeedsInput(request) => format!("Not answered yet: {}", request.message),
            Self::Interrupted => {
                "Interrupted: it may or may not have happened. Check before you repeat it."
                    .to_owned()
            }
            Self::Skipped(reason) => format!("Not run: {reason}"),
            Self::Withdrawn => "Not run: the approval was withdrawn.".to_owned(),
        }
    }
}
