//! The bodies of events.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::budget::{Amounts, Budget};
use crate::digest::Digest;
use crate::error::ErrorRecord;
use crate::id::{AgentId, CallId, Seq, SessionId};
use crate::inbox::{Answer, Cursor, Item};
use crate::inference::{ModelSettings, Response};
use crate::message::Message;
use crate::outcome::ContinuationOutcome;
use crate::pending::Pending;
use crate::status::ExecutionStatus;
use crate::time::{Micros, Timestamp};
use crate::tool::{EffectClass, Metadata, ToolOutcome, ToolSpec};

/// The session began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionStarted {
    /// The session.
    pub session: SessionId,
    /// The agent that works in it.
    pub agent: AgentId,
    /// Where it was spawned from, if it is a subagent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentLink>,
}

/// The call of another session that a session was spawned by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParentLink {
    /// The parent's session.
    pub session: SessionId,
    /// The call in it.
    pub call: CallId,
    /// When the parent's session began: a later session of the same id is another one.
    pub began: Timestamp,
}

/// What an agent is, as far as it is data; never code.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Definition {
    /// The system prompt.
    pub instructions: Arc<str>,
    /// Which model, and how.
    pub settings: ModelSettings,
    /// The limits of an execution.
    pub budget: Budget,
    /// The user's own version string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Definition {
    /// The digest of all of it.
    pub fn digest(&self) -> Digest {
        Digest::of_serialize(self)
            .unwrap_or_else(|_| Digest::of_bytes(self.instructions.as_bytes()))
    }
}

/// What the agent is was recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Defined {
    /// What it is.
    pub definition: Arc<Definition>,
    /// Its digest when it is the agent's own; none when it was changed in the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}

/// An execution began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutionStarted {
    /// The new messages.
    pub input: Vec<Arc<Message>>,
}

/// A stopped execution goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutionReopened {}

/// A call to the model is about to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InferenceStarted {
    /// What is held for it until its usage is known.
    pub reserved: Amounts,
    /// The tools shown, if they changed since the last step that recorded them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolsShown>,
}

/// The tools that a model was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolsShown {
    /// The digest of all of them.
    pub digest: Option<Digest>,
    /// The tools, whole, as they were shown.
    pub specs: Vec<Arc<ToolSpec>>,
    /// The digest of each as it is by itself, in the same order.
    pub digests: Vec<Digest>,
    /// What their toolsets added to the system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Arc<str>>,
}

/// The call to the model failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InferenceFailed {
    /// What went wrong.
    pub error: ErrorRecord,
    /// What is charged for it.
    #[serde(default)]
    pub charged: Amounts,
}

/// The run left a call to the model that was under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InferenceInterrupted {
    /// What is charged for it: an estimate.
    pub charged: Amounts,
}

/// The model's raw response is complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Responded {
    /// The response.
    pub response: Arc<Response>,
    /// What is charged for it.
    pub charged: Amounts,
}

/// A hook changed the response.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResponseChanged {
    /// The response as changed.
    pub response: Arc<Response>,
}

/// The intent of a tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolStarted {
    /// The index of the call in the response.
    pub index: u32,
    /// The class it is run under.
    pub effect: EffectClass,
    /// The arguments, if they are not those that the model wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arc<str>>,
    /// The session that the call works in, if it runs a subagent; known before that
    /// session exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child: Option<SessionId>,
    /// What is held for the call until it is answered: the own limits of a subagent.
    #[serde(default, skip_serializing_if = "Amounts::is_zero")]
    pub reserved: Amounts,
    /// Whether it began before, was in doubt, and a person said that it shall run again: it
    /// counts as one call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// A tool call was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolFinished {
    /// The index of the call in the response.
    pub index: u32,
    /// What came of it.
    pub outcome: Arc<ToolOutcome>,
    /// How long its body ran.
    #[serde(default, skip_serializing_if = "is_instant")]
    pub took: Micros,
    /// What it left for people and programs, by name; the model never sees it.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// What it used of the budget, beside being a call: all that a subagent used.
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

/// A hook changed the answer of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolChanged {
    /// The index of the call in the response.
    pub index: u32,
    /// The answer as changed.
    pub outcome: Arc<ToolOutcome>,
}

/// The execution waits for somebody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Paused {
    /// What it waits for, in call order.
    pub pending: Vec<Pending>,
}

/// Somebody answered what was pending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answered {
    /// The answer.
    pub answer: Answer,
}

/// A step ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepFinished {
    /// Whether to go on, and why.
    pub outcome: Arc<ContinuationOutcome>,
    /// How long it was at work, since time was last charged.
    pub took: Micros,
}

/// Active time on a step that is not over was charged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Worked {
    /// How long it was, since time was last charged.
    pub took: Micros,
    /// Whether the run left the execution here, interrupted or waiting for an answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rests: bool,
}

/// The stop that was decided is not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StopPrevented {
    /// Who prevented it.
    pub by: String,
}

/// The execution ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutionFinished {
    /// How it ended.
    pub status: ExecutionStatus,
    /// Why.
    pub outcome: Arc<ContinuationOutcome>,
}

/// Metadata of the conversation was set or removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetadataSet {
    /// The key.
    pub key: String,
    /// The value; none removes the key.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::present::present"
    )]
    pub value: Option<Value>,
}

/// An item of the inbox was taken up; what it causes is the next event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InboxTaken {
    /// Its number.
    pub cursor: Cursor,
    /// Its key.
    pub key: String,
    /// The item and why it causes nothing, if it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<RefusedItem>,
}

/// An item of the inbox that was refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RefusedItem {
    /// The item.
    pub item: Item,
    /// Why it was refused.
    pub reason: String,
}

/// The session stands at another entry now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeadMoved {
    /// Where it stands.
    pub to: Seq,
}

/// An event that this version does not know.
///
/// Its body is kept as text: numbers and the order of keys stay as they came.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Unknown {
    /// Its type.
    pub kind: String,
    /// Its body as it came, on one line.
    pub body: Box<RawValue>,
}

impl Unknown {
    /// An event of a type with a body.
    pub fn new(kind: impl Into<String>, body: &Value) -> Self {
        // A value always serialises: its keys are text.
        let body = to_raw_value(body).unwrap_or_else(|_| RawValue::NULL.to_owned());
        Self { kind: kind.into(), body }
    }

    /// An event of a type with a body as it came, brought to one line: an entry is one,
    /// and a raw line break can only stand between the parts.
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
