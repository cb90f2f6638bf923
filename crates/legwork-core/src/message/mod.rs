//! Messages of users, models and tools, and their parts.

mod app;
mod author;
mod cached;
mod call;
mod json;
mod malformed;
mod part;
mod rendered;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use app::App;
pub use author::Author;
use cached::Cached;
pub use call::ToolCall;
pub use json::JsonText;
pub use malformed::Malformed;
pub use part::{
    File, Image, MediaSource, Part, ProviderData, ResultPart, Text, Thinking, ToolResult,
};
pub use rendered::Form;

pub use crate::encoded::{Encoded, Wire};
use crate::lean;
use crate::metadata::Metadata;
use crate::string_enum::string_enum;

string_enum! {
    /// The role of a message in the conversation.
    Role {
        /// A person, or the program that uses the agent.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// A tool, answering one call.
        Tool = "tool",
    }
}

/// One message: a role and parts, in order.
///
/// Messages are shared behind `Arc` and never change, so their encoded bytes can be cached
/// with them ([`Message::append_encoded`]).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// Who speaks: a user, the model or a tool.
    pub role: Role,
    /// The content, in order.
    #[serde(deserialize_with = "lean::few")]
    pub parts: Vec<Part>,
    /// The author, where the role does not determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// Values of the program; they are not sent to the model.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// What the program says here as data; no request contains the message as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<Arc<App>>,
    #[serde(skip)]
    cached: Cached,
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        let same = self.role == other.role && self.parts == other.parts;
        let same = same && self.author == other.author && self.metadata == other.metadata;
        same && self.app == other.app
    }
}

impl Message {
    /// A message of a role with these parts, without author or metadata.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            role,
            parts,
            author: None,
            metadata: Metadata::default(),
            app: None,
            cached: Cached::default(),
        }
    }

    /// The same with other parts.
    #[must_use]
    pub fn with_parts(self, parts: Vec<Part>) -> Self {
        Self { parts, cached: Cached::default(), ..self }
    }

    /// The same with an author.
    #[must_use]
    pub fn by(self, author: impl Into<Author>) -> Self {
        let mut message = self;
        message.set_author(author.into());
        message
    }

    pub(crate) fn set_author(&mut self, author: Author) {
        self.author = Some(author);
        // What is sent to a provider depends on whether one of its models wrote it.
        self.cached = Cached::default();
    }

    /// The same with a metadata value.
    ///
    /// A value that is nested too deeply for a journal is kept as its JSON text.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: Value) -> Self {
        self.metadata.insert(name, value);
        self
    }

    /// A user message with a text.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Part::text(text)])
    }

    /// An assistant message with these parts.
    pub fn assistant(parts: Vec<Part>) -> Self {
        Self::new(Role::Assistant, parts)
    }

    /// A tool message with the result of one call.
    pub fn tool_result(result: ToolResult) -> Self {
        Self::new(Role::Tool, vec![Part::ToolResult(result)])
    }

    /// A message of a program, which a model reads in the words that its kind is rendered in.
    pub fn of_app(app: App) -> Self {
        Self { app: Some(Arc::new(app)), ..Self::new(Role::User, Vec::new()) }
    }

    /// All text parts, concatenated.
    pub fn text(&self) -> String {
        self.parts.iter().filter_map(Part::as_text).collect()
    }

    /// The tool calls, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &Arc<ToolCall>> {
        self.parts.iter().filter_map(Part::as_call)
    }

    /// Appends its bytes for a wire, which are encoded once and cached.
    ///
    /// `encode` must only append to the buffer that it is given.
    pub fn append_encoded(
        &self,
        wire: &Wire,
        out: &mut Vec<u8>,
        encode: impl FnOnce(&Self, &mut Vec<u8>),
    ) {
        self.cached.encoded().append(wire, out, |out| encode(self, out));
    }

    /// The message in another form; that of the first form is rendered once and cached.
    ///
    /// `render` returns none if the message is shown as it is.
    #[must_use]
    pub fn rendered(
        self: &Arc<Self>,
        form: Form,
        render: impl FnOnce(&Self) -> Option<Self>,
    ) -> Arc<Self> {
        self.cached.rendered().get(form, || render(self)).unwrap_or_else(|| Arc::clone(self))
    }

    /// An estimate of what a model reads of it, in bytes of text.
    pub fn weight(&self) -> u64 {
        let app = self.app.as_ref().map_or(0, |app| app.weight());
        self.parts.iter().map(Part::weight).sum::<u64>() + app + 16
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::user(text)
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::user(text)
    }
}
