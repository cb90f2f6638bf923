//! The response of a model.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{ErrorKind, ErrorRecord, ErrorSource};
use crate::inference::{Discarded, Usage};
use crate::lean;
use crate::message::{Author, Malformed, Message, Part};
use crate::nesting::{self, OWN_KEY};
use crate::string_enum::string_enum;

string_enum! {
    /// Why the model ended its answer.
    FinishReason {
        /// The answer is complete.
        Stop = "stop",
        /// It reached its output limit.
        Length = "length",
        /// It calls tools.
        ToolCalls = "tool_calls",
        /// A content filter ended it.
        ContentFilter = "content_filter",
    }
}

string_enum! {
    /// Why a response is incomplete.
    Incomplete {
        /// The output limit was reached inside a tool call.
        LengthInCall = "length_in_call",
        /// The stream broke off.
        Cut = "cut",
        /// The stream ended without its last event.
        NoEnd = "no_end",
        /// It exceeded what was reserved for it.
        OverReserve = "over_reserve",
        /// It exceeded a bound on the size of an answer.
        OverBound = "over_bound",
        /// It contains a part that an answer cannot have, such as a tool result.
        Malformed = "malformed",
        /// It arrived in full, but the driver failed to read it.
        Unread = "unread",
    }
}

/// A complete response of a model, or what arrived of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Response {
    /// The assistant message.
    #[serde(deserialize_with = "lean::shared")]
    pub message: Arc<Message>,
    /// The model that answered, as the provider names it; may differ from the requested one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<str>>,
    /// The provider's id of this response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The id of the HTTP request, under which the provider finds it when it is asked about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The tokens used; none if the provider did not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why it ended.
    pub finish: FinishReason,
    /// Why it is incomplete; none if it is complete. Calls of an incomplete one never run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<Incomplete>,
    /// A description of the bound that it exceeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// Bytes that arrived, if it exceeded a bound and not all were kept.
    ///
    /// The charge is estimated from them. Not journaled.
    #[serde(skip)]
    pub came: u64,
    /// The number of failed attempts before it that may have cost money.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub charged_attempts: u32,
    /// Answers of models that were asked before and whose answers were discarded.
    ///
    /// What these used is charged in addition to `usage`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub discarded: Vec<Discarded>,
    /// Further fields of the provider's response; never raw bytes or frames.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub raw: Map<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Response {
    /// A complete response with a message and a finish reason.
    pub fn new(message: Message, finish: FinishReason) -> Self {
        Self {
            message: Arc::new(message),
            model: None,
            id: None,
            request_id: None,
            usage: None,
            finish,
            incomplete: None,
            bound: None,
            came: 0,
            charged_attempts: 0,
            discarded: Vec::new(),
            raw: Map::new(),
        }
    }

    /// The number of attempts before it that may have cost money, those whose cost is known
    /// included.
    pub fn paid_attempts(&self) -> u32 {
        let discarded = u32::try_from(self.discarded.len()).unwrap_or(u32::MAX);
        self.charged_attempts.saturating_add(discarded)
    }

    /// Checks that it contains no tool result, and that a journal can hold it.
    ///
    /// # Errors
    /// The first part that fails the check.
    pub fn check(&self) -> Result<(), Malformed> {
        if !nesting::all_fit(&self.raw) {
            return Err(Malformed::TooDeep);
        }
        self.message.check()
    }

    /// The same, with values that are nested too deeply for a journal as their text.
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

    /// The same, with this author of its message unless it has one.
    #[must_use]
    pub fn by(mut self, author: impl FnOnce() -> Author) -> Self {
        if self.message.author.is_none() {
            Arc::make_mut(&mut self.message).set_author(author());
        }
        self
    }

    /// The message of the error with which its server ended the answer, if it did.
    pub fn server_error(&self) -> Option<&str> {
        self.raw.get("error")?.get("message")?.as_str()
    }

    /// The error of an answer of a model that is not whole; none if it is, or if its driver, which
    /// failed to read it, has an error of its own.
    pub fn incomplete_error(
        &self,
        malformed: Option<Malformed>,
        model: &str,
    ) -> Option<ErrorRecord> {
        let reason = self.incomplete.as_ref().filter(|reason| **reason != Incomplete::Unread)?;
        let message = match (malformed, &self.bound) {
            (None, None) if let Some(error) = self.server_error() => format!(
                "the answer of {model} broke off, for the server failed ({error}): its calls are \
                 not run; ask again"
            ),
            (Some(malformed), _) => {
                format!("the answer of {model} is none, ask again: {malformed}")
            }
            (None, Some(bound)) => format!(
                "the answer of {model} was cut, for {bound}: its calls are not run; see whether \
                 the server is sound, or raise the bound"
            ),
            (None, None) => format!(
                "the answer of {model} came incomplete ({reason}): its calls are not run; ask again"
            ),
        };
        Some(ErrorRecord::new(ErrorSource::Model, ErrorKind::Incomplete, message))
    }

    /// All text parts, concatenated.
    pub fn text(&self) -> String {
        self.message.text()
    }
}
