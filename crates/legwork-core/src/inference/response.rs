//! What a model answers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::inference::Usage;
use crate::message::{Malformed, Message, Part};
use crate::nesting::{self, OWN_KEY};
use crate::string_enum::string_enum;

string_enum! {
    /// Why the model ended its answer.
    FinishReason {
        /// It was done.
        Stop = "stop",
        /// It reached its output limit.
        Length = "length",
        /// It wants tools to be called.
        ToolCalls = "tool_calls",
        /// A filter cut it.
        ContentFilter = "content_filter",
    }
}

string_enum! {
    /// Why a response is not whole.
    Incomplete {
        /// The output limit was reached inside a tool call.
        LengthInCall = "length_in_call",
        /// The stream was cut.
        Cut = "cut",
        /// The stream ended without its last event.
        NoEnd = "no_end",
        /// It passed what was reserved for it.
        OverReserve = "over_reserve",
        /// It passed a bound of what is taken in of one answer.
        OverBound = "over_bound",
        /// It holds what no answer can hold, such as a tool result.
        Malformed = "malformed",
        /// It came whole, and the driver that was to read it could not.
        Unread = "unread",
    }
}

/// A model's response, assembled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Response {
    /// The one assistant message of this response.
    pub message: Arc<Message>,
    /// The model that answered, as the provider names it; it may be another one than was
    /// asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<str>>,
    /// The provider's id of this response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it used; none if the provider did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why it ended.
    pub finish: FinishReason,
    /// Why it is not whole, if it is not: its calls never run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Incomplete>,
    /// The bound that it passed, in words that name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// Bytes that came of it and are not all kept, where it passed a bound. It is charged by
    /// them, and does not say so to the journal.
    #[serde(skip)]
    pub came: u64,
    /// Failed attempts before it that may have cost money.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub charged_attempts: u32,
    /// The provider's fields that are not in the parts; never bytes or frames.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub raw: Map<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Response {
    /// A whole response with a message, ended for a reason.
    pub fn new(message: Message, finish: FinishReason) -> Self {
        Self {
            message: Arc::new(message),
            model: None,
            id: None,
            usage: None,
            finish,
            incomplete: None,
            bound: None,
            came: 0,
            charged_attempts: 0,
            raw: Map::new(),
        }
    }

    /// Whether it can be an answer: it holds no tool result, and a journal can keep it.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), Malformed> {
        if !nesting::all_fit(&self.raw) {
            return Err(Malformed::TooDeep);
        }
        self.message.check()
    }

    /// The same, with what is nested too deeply for a journal given as its text.
    #[must_use]
    pub fn for_journal(self) -> Self {
        if self.check() != Err(Malformed::TooDeep) {
            return self;
        }
        let raw = self.raw.into_iter().filter(|(key, _)| key != OWN_KEY);
        let raw = raw.map(|(key, value)| (key, nesting::shallow(value))).collect();
        let message = Arc::unwrap_or_clone(self.message);
        let parts = message.parts.iter().cloned().map(Part::for_journal).collect();
        Self { raw, message: Arc::new(message.with_parts(parts)), ..self }
    }

    /// All text of the answer, joined.
    pub fn text(&self) -> String {
        self.message.text()
    }
}
