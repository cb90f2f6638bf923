//! Messages and their parts: what people, models and tools say.

mod call;
mod malformed;
mod part;
mod rendered;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use call::ToolCall;
pub use malformed::Malformed;
pub use part::{Image, ImageSource, Part, Thinking, ToolResult};
pub use rendered::Form;
use rendered::Rendered;

pub use crate::encoded::{Encoded, Wire};
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
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub parts: Vec<Part>,
    #[serde(skip)]
    encoded: Encoded,
    #[serde(skip)]
    rendered: Rendered,
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.role == other.role && self.parts == other.parts
    }
}

impl Message {
    /// A message of a role from parts.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self { role, parts, encoded: Encoded::default(), rendered: Rendered::default() }
    }

    /// What a person says.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, vec![Part::Text(text.into())])
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
        wire: Wire,
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
