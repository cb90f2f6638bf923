//! The parts of messages.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::CallId;
use crate::lean;
use crate::message::{JsonText, ToolCall};

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Plain text.
    Text(Text),
    /// Reasoning of the model, as far as the provider shows it.
    Thinking(Thinking),
    /// A request to run a tool.
    ToolCall(#[serde(deserialize_with = "lean::shared")] Arc<ToolCall>),
    /// The result of a tool call.
    ToolResult(ToolResult),
    /// An image.
    Image(Image),
    /// A file other than an image, such as a PDF.
    File(File),
    /// The model declined to answer, in these words.
    Refusal(Text),
    /// A provider's part of another kind, kept as received.
    Other(Value),
}

impl Part {
    /// A part of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into().into())
    }

    /// The text, if this is text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
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
            Self::Text(text) | Self::Refusal(text) => text.text.len(),
            Self::Thinking(thinking) => thinking.text.len(),
            Self::ToolCall(call) => call.name.len() + call.arguments.len() + 32,
            Self::ToolResult(result) => {
                32 + result.parts.iter().map(ResultPart::weight).sum::<usize>()
            }
            Self::Image(_) => IMAGE_WEIGHT,
            Self::File(file) => file.source.weight(),
            Self::Other(value) => value.to_string().len(),
        };
        bytes as u64
    }
}

/// Text that a model or a person wrote.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Text {
    /// The text.
    pub text: String,
    /// The provider's id of this part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What the provider attached to it, such as citations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderData>,
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self { text, id: None, provider: None }
    }
}

/// Reasoning of the model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thinking {
    /// The readable text; may be a summary, or empty if the provider shows none.
    pub text: String,
    /// The provider's id of this part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The provider's signature or encrypted form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderData>,
}

/// Data that a provider attached to a part; sent back unchanged, and to this provider only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProviderData {
    /// The provider, as in `provider:model`.
    pub provider: Arc<str>,
    /// The fields, in the shape of its API.
    pub data: JsonText,
}

impl ProviderData {
    /// Data of a provider.
    pub fn new(provider: impl Into<Arc<str>>, data: impl Into<JsonText>) -> Self {
        Self { provider: provider.into(), data: data.into() }
    }

    /// The fields, if they are of this provider.
    pub fn of(&self, provider: &str) -> Option<Value> {
        self.text_of(provider).map(JsonText::value)
    }

    /// The text of the fields, if they are of this provider.
    pub fn text_of(&self, provider: &str) -> Option<&JsonText> {
        (*self.provider == *provider).then_some(&self.data)
    }
}

/// The result of one tool call, as the model reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolResult {
    /// The id of the call that it answers.
    pub call: CallId,
    /// The tool's name.
    pub name: Arc<str>,
    /// The content, in the order in which the model reads it.
    #[serde(deserialize_with = "lean::few")]
    pub parts: Vec<ResultPart>,
    /// Whether the call did not succeed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ToolResult {
    /// A text as the result of a call that succeeded.
    pub fn new(
        call: impl Into<CallId>,
        name: impl Into<Arc<str>>,
        text: impl Into<String>,
    ) -> Self {
        let parts = vec![ResultPart::Text(text.into())];
        Self { call: call.into(), name: name.into(), parts, is_error: false }
    }

    /// The result as text, for a model that reads only text.
    ///
    /// JSON is its text; images and files are a line that names them.
    pub fn text(&self) -> Cow<'_, str> {
        ResultPart::joined(&self.parts)
    }
}

/// One part of the result of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResultPart {
    /// Text.
    Text(String),
    /// A JSON value; a model reads its text.
    Json(Value),
    /// An image.
    Image(Image),
    /// A file.
    File(File),
}

impl ResultPart {
    /// The part as text; images and files as a line that names them.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Json(value) => Cow::Owned(value.to_string()),
            Self::Image(image) => Cow::Owned(format!("[picture: {}]", image.media_type)),
            Self::File(file) => {
                let name = file.name.as_deref().unwrap_or("without a name");
                Cow::Owned(format!("[file {name}: {}]", file.media_type))
            }
        }
    }

    /// The parts as one text, separated by line breaks.
    pub(crate) fn joined(parts: &[Self]) -> Cow<'_, str> {
        match parts {
            [] => Cow::Borrowed(""),
            [one] => one.text(),
            parts => Cow::Owned(parts.iter().map(Self::text).collect::<Vec<_>>().join("\n")),
        }
    }

    fn weight(&self) -> usize {
        match self {
            Self::Image(_) => IMAGE_WEIGHT,
            Self::File(file) => file.source.weight(),
            Self::Json(value) => json_length(value),
            part => part.text().len(),
        }
    }
}

/// The bytes of a value's JSON, which is not made for it.
fn json_length(value: &Value) -> usize {
    struct Length(usize);
    impl io::Write for Length {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut length = Length(0);
    match serde_json::to_writer(&mut length, value) {
        Ok(()) => length.0,
        Err(_) => 0,
    }
}

/// An estimate of what a model reads of an image, in bytes of text.
const IMAGE_WEIGHT: usize = 4_800;

/// An image in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Image {
    /// The media type, like `image/png`.
    pub media_type: String,
    /// Where its bytes are.
    pub source: MediaSource,
}

/// A file in a message, other than an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct File {
    /// The file name, without a directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The media type, like `application/pdf`.
    pub media_type: String,
    /// Where its bytes are.
    pub source: MediaSource,
}

/// Where the bytes of an image or a file are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MediaSource {
    /// Inline, in standard base64.
    Base64(String),
    /// At a URL that the provider fetches.
    Url(String),
}

impl MediaSource {
    /// An estimate of what a model reads of it, in bytes of text; a guess if it is fetched.
    fn weight(&self) -> usize {
        match self {
            Self::Base64(bytes) => bytes.len(),
            Self::Url(_) => IMAGE_WEIGHT,
        }
    }
}
