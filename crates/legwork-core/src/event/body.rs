//! The body of each type of event.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::RequestSent;
use crate::budget::Amounts;
use crate::digest::Digest;
use crate::error::ErrorRecord;
use crate::id::{AgentId, CallId, EffectKey, Seq, SessionId};
use crate::inbox::{Answer, Cursor, Item};
use crate::inference::Response;
use crate::lean;
use crate::message::Message;
use crate::nesting;
use crate::outcome::ContinuationOutcome;
use crate::output::Stage;
use crate::pending::Pending;
use crate::status::ExecutionStatus;
use crate::time::{Micros, Timestamp};
use crate::tool::{EffectClass, Metadata, ToolOutcome, ToolSpec};

/// The session began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionStarted {
    /// The id of the session.
    pub session: SessionId,
    /// The agent that works in it.
    pub agent: AgentId,
    /// The call that spawned it, if it is a subagent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentLink>,
    /// The entry of another session that it was forked from, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkedFrom>,
}

/// The entry of another session that a session was forked from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ForkedFrom {
    /// The other session.
    pub session: SessionId,
    /// The last of its entries that was copied.
    pub entry: Seq,
    /// How many entries were copied: they follow this one, and only the conversation is folded
    /// over them.
    pub copied: u64,
}

/// The call in another session that spawned a subagent's session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParentLink {
    /// The parent's session.
    pub session: SessionId,
    /// The id of the call, in the parent's session.
    pub call: CallId,
    /// When the parent's session began, which distinguishes it from a later one with its id.
    pub began: Timestamp,
}

/// An execution began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutionStarted {
    /// The new messages.
    pub input: Vec<Arc<Message>>,
}

/// An execution that ended goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutionReopened {}

/// A request is about to be sent to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InferenceStarted {
    /// What is reserved for it until its usage is known.
    pub reserved: Amounts,
    /// The tools shown, if they differ from those recorded last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Arc<ToolsShown>>,
    /// The request as it is sent; none if it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestSent>,
}

/// The tools that the model was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolsShown {
    /// The digest of all of them.
    pub digest: Option<Digest>,
    /// The tools as they were shown.
    pub specs: Vec<Arc<ToolSpec>>,
    /// The digest of each tool before a selection changed it, in the same order.
    pub digests: Vec<Digest>,
    /// What their toolsets added to the system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Arc<str>>,
}

/// The request to the model failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InferenceFailed {
    /// What went wrong.
    pub error: ErrorRecord,
    /// What is charged for it.
    #[serde(default)]
    pub charged: Amounts,
}

/// The run ended before the model answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InferenceInterrupted {
    /// What is charged for it: an estimate.
    pub charged: Amounts,
}

/// The model responded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Responded {
    /// The response; its calls run only if it is complete.
    #[serde(deserialize_with = "lean::shared")]
    pub response: Arc<Response>,
    /// What is charged for it.
    pub charged: Amounts,
}

/// A hook changed the response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResponseChanged {
    /// The new response.
    pub response: Arc<Response>,
}

/// A tool call is about to be run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolStarted {
    /// The index of the call in the response.
    pub index: u32,
    /// The effect class that it is run under.
    pub effect: EffectClass,
    /// The arguments, if they differ from those that the model wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arc<str>>,
    /// The session of the subagent that it runs, if it does; recorded before that exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child: Option<SessionId>,
    /// What is reserved for the call until it is answered: the limits of its subagent.
    #[serde(default, skip_serializing_if = "Amounts::is_zero")]
    pub reserved: Amounts,
    /// Whether it is run again after it was in doubt; it counts as one call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// A tool call has its outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolFinished {
    /// The index of the call in the response.
    pub index: u32,
    /// The outcome of its body, or why it was not run.
    #[serde(deserialize_with = "lean::shared")]
    pub outcome: Arc<ToolOutcome>,
    /// How long its body ran; zero if it was not run.
    #[serde(default, skip_serializing_if = "is_instant")]
    pub took: Micros,
    /// Values for people and programs; the model never sees them.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// What it charged to the budget, besides one call: all that its subagent used.
    #[serde(default, skip_serializing_if = "Amounts::is_zero")]
    pub used: Amounts,
}

impl ToolFinished {
    /// The answer to a call whose body does not run, or not any more: it took no time and used
    /// nothing.
    pub fn without_running(index: u32, outcome: ToolOutcome) -> Self {
        let (took, metadata, used) = (Micros::ZERO, Metadata::default(), Amounts::default());
        Self { index, outcome: Arc::new(outcome), took, metadata, used }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_instant(time: &Micros) -> bool {
    time.0 == 0
}

/// A hook changed the outcome of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolChanged {
    /// The index of the call in the response.
    pub index: u32,
    /// The new outcome.
    pub outcome: Arc<ToolOutcome>,
}

/// An answer of the model was accepted as the output of the execution.
///
/// It is the output until another inference begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputAccepted {
    /// The value.
    pub value: Arc<Value>,
    /// The index of the call that gave it; none if it was in the text of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
}

impl OutputAccepted {
    /// Whether a journal can hold it: its value is not nested too deeply.
    pub fn fits(&self) -> bool {
        nesting::fits(&self.value)
    }
}

/// An answer of the model was rejected as output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputRejected {
    /// The stage that failed.
    pub stage: Stage,
    /// What is wrong, in words for the model.
    pub problem: String,
    /// The index of the call that gave the value; none if it was in the text of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
}

/// The execution waits for answers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Paused {
    /// The calls that wait, in call order.
    pub pending: Vec<Pending>,
    /// Whether these wait beside those that wait already, and not in their place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adds: bool,
    /// Whether all calls of the turn that may run beside those that wait have run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passed: bool,
    /// What the bodies of these calls charged before they waited.
    #[serde(default, skip_serializing_if = "Amounts::is_zero")]
    pub used: Amounts,
}

/// A pending call was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answered {
    /// The answer, with the id of the call.
    pub answer: Answer,
}

/// A step ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepFinished {
    /// Whether the execution goes on, and why.
    #[serde(deserialize_with = "lean::shared")]
    pub outcome: Arc<ContinuationOutcome>,
    /// The active time since time was last charged.
    pub took: Micros,
}

/// Active time of the current step was charged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Worked {
    /// The active time since time was last charged.
    pub took: Micros,
    /// Whether the run ended here, with the execution interrupted or waiting for an answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rests: bool,
    /// Whether a run took up here the step of another one, which ended in the middle of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub takes_up: bool,
}

impl Worked {
    /// Time was charged, and the run goes on.
    pub fn on(took: Micros) -> Self {
        Self { took, rests: false, takes_up: false }
    }
}

/// A stop that was decided is not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopPrevented {
    /// The name of the hook that prevented it.
    pub by: String,
}

/// The execution ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutionFinished {
    /// The final status.
    pub status: ExecutionStatus,
    /// The outcome, which says why.
    pub outcome: Arc<ContinuationOutcome>,
}

/// An inbox item was taken up; its effect is the next event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InboxTaken {
    /// The number of the item.
    pub cursor: Cursor,
    /// The key of the item.
    pub key: String,
    /// The item and the reason, if it was refused: then it has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedItem>,
}

/// An inbox item that was refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefusedItem {
    /// The item as it was posted.
    pub item: Item,
    /// Why it was refused.
    pub reason: String,
}

/// The title of the session was set or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Titled {
    /// The title; none removes it, so the first line of the first task is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The session was suspended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suspended {
    /// Why, in words.
    pub reason: String,
}

/// A suspended session goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resumed {}

/// The head of the session was moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeadMoved {
    /// The new head.
    pub to: Seq,
}

/// A call that ran is about to be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoStarted {
    /// The call: of this session, or of a subagent's below it.
    pub call: EffectKey,
}

/// A call was taken back, or that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UndoFinished {
    /// The call.
    pub call: EffectKey,
    /// What came of it.
    pub outcome: UndoOutcome,
}

/// What came of taking a call back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UndoOutcome {
    /// It was taken back; what was done for it, in words.
    Done(String),
    /// It was not taken back, for this reason.
    Refused(String),
}

/// An event of a type that this version does not know.
///
/// Its body is kept as text, so that numbers and the order of keys do not change.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Unknown {
    /// The type, as it is in the journal.
    pub kind: String,
    /// The body as it was read, on one line.
    pub body: Box<RawValue>,
}

impl Unknown {
    /// An event of a type with a body.
    pub fn new(kind: impl Into<String>, body: &Value) -> Self {
        // A value can always be serialized: its keys are text.
        let body = to_raw_value(body).unwrap_or_else(|_| RawValue::NULL.to_owned());
        Self { kind: kind.into(), body }
    }

    /// An event with a body as it was read, on one line because an entry is one line.
    ///
    /// A raw line break in JSON is only white space between tokens.
    pub(super) fn read(kind: &str, body: &RawValue) -> Result<Self, serde_json::Error> {
        if body.get().contains(['\n', '\r']) {
            return Ok(Self::new(kind, &serde_json::from_str(body.get())?));
        }
        Ok(Self { kind: kind.to_owned(), body: body.to_owned() })
    }
}

impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.body.get() == other.body.get()
    }
}
