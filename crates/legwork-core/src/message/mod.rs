//! Messages and their parts: what people, models and tools say.

mod author;
mod call;
mod malformed;
mod part;
mod rendered;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use author::Author;
pub use call::ToolCall;
pub use malformed::Malformed;
pub use part::{
    File, Image, MediaSource, Part, ProviderData, ResultPart, Text, Thinking, ToolResult,
};
pub use rendered::Form;
use rendered::Rendered;

pub use crate::encoded::{Encoded, Wire};
use crate::metadata::Metadata;
use crate::string_enum::string_enum;

string_enum! {
    /// Who speaks.
    Role {
        /// A person, or the program that uses the agent.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// A tool, answering one call.
        Tool = "tool",
    }
}

/// One message: a role and parts in the order they came.
///
/// Messages are shared behind `Arc` and never change, so that a wire may keep their
/// encoded bytes beside them ([`Message::append_encoded`]).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub parts: Vec<Part>,
    /// Who said it, where the role does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// Values of the program; no model reads them.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    #[serde(skip)]
    encoded: Encoded,
    #[serde(skip)]
    rendered: Rendered,
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        let same = self.role == other.role && self.parts == other.parts;
        same && self.author == other.author && self.metadata == other.metadata
    }
}

impl Message {
    /// A message of a role from parts.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            role,
            parts,
            author: None,
            metadata: Metadata::default(),
            encoded: Encoded::default(),
            rendered: Rendered::default(),
        }
    }

    /// The same with other parts.
    #[must_use]
    pub fn with_parts(self, parts: Vec<Part>) -> Self {
        let (encoded, rendered) = Default::default();
        Self { parts, encoded, rendered, ..self }
    }

    /// The same, said by somebody.
    #[must_use]
    pub fn by(self, author: impl Into<Author>) -> Self {
        Self { author: Some(author.into()), ..self }
    }

    /// The same with a value of the program under a name. One that is nested too deeply for a
    /// journal is kept as its text.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: Value) -> Self {
        self.metadata.insert(name, value);
        self
    }

    /// What a person says.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Part::text(text)])
    }

    /// What a model says.
    pub fn assistant(parts: Vec<Part>) -> Self {
        Self::new(Role::Assistant, parts)
    }

    /// The answer to one tool call.
    pub fn tool_result(result: ToolResult) -> Self {
        Self::new(Role::Tool, vec![Part::ToolResult(result)])
    }

    /// All text parts, joined.
    pub fn text(&self) -> String {
        self.parts.iter().filter_map(Part::as_text).collect()
    }

    /// The tool calls, in the order they came.
    pub fn tool_calls(&self) -> impl Iterator<Item = &Arc<ToolCall>> {
        self.parts.iter().filter_map(Part::as_call)
    }

    /// Appends its bytes on a wire, encoded at most once for the first wire.
    pub fn append_encoded(
        &self,
        wire: &Wire,
        out: &mut Vec<u8>,
        encode: impl FnOnce(&Self, &mut Vec<u8>),
    ) {
        self.encoded.append(wire, out, |out| encode(self, out));
    }

    /// The message in a form, made at most once for the first form asked for.
    ///
    /// `render` gives none where the message is its own form.
    #[must_use]
    pub fn rendered(
        self: &Arc<Self>,
        form: Form,
        render: impl FnOnce(&Self) -> Option<Self>,
    ) -> Arc<Self> {
        self.rendered.get(form, || render(self)).unwrap_or_else(|| Arc::clone(self))
    }

    /// A rough size in bytes of what a model reads, for estimates.
    pub fn weight(&self) -> u64 {
        self.parts.iter().map(Part::weight).sum::<u64>() + 16
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
