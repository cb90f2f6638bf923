//! The parts that messages are made of.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::CallId;
use crate::message::ToolCall;

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Plain text.
    Text(String),
    /// What the model thought, as far as the provider shows it.
    Thinking(Thinking),
    /// A request to run a tool.
    ToolCall(Arc<ToolCall>),
    /// The answer to a tool call.
    ToolResult(ToolResult),
    /// A picture.
    Image(Image),
    /// The model declined to answer, in these words.
    Refusal(String),
    /// A provider's part that has no place above, kept as it came.
    Other(Value),
}

impl Part {
    /// The text, if this is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The call, if this is one.
    pub fn as_call(&self) -> Option<&Arc<ToolCall>> {
        match self {
            Self::ToolCall(call) => Some(call),
            _ => None,
        }
    }

    pub(super) fn weight(&self) -> u64 {
        let bytes = match self {
            Self::Text(text) | Self::Refusal(text) => text.len(),
            Self::Thinking(thinking) => thinking.text.len(),
            Self::ToolCall(call) => call.name.len() + call.arguments.len() + 32,
            Self::ToolResult(result) => result.text.len() + 32,
            Self::Image(_) => 4_800,
            Self::Other(value) => value.to_string().len(),
        };
        bytes as u64
    }
}

/// What the model thought.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Thinking {
    /// The readable text; may be a summary.
    pub text: String,
    /// The provider's signature or encrypted form, sent back untouched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The provider that made it; another one never gets the signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Arc<str>>,
}

/// The answer to one tool call, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call answered.
    pub call: CallId,
    /// The tool's name.
    pub name: Arc<str>,
    /// The answer in text.
    pub text: String,
    /// Whether the call did not succeed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// A picture in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// The media type, like `image/png`.
    pub media_type: String,
    /// Where its bytes are.
    pub source: ImageSource,
}

/// Where the bytes of a picture are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImageSource {
    /// Here, in standard base64.
    Base64(String),
    /// At an address that the provider fetches.
    Url(String),
}
