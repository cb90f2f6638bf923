//! What the body of a call asks the model in the middle of its work.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::{Malformed, Message};
use crate::tool::{InputRequest, ToolOutcome};
use crate::transcript::Transcript;

/// A prompt of the body of a call: the model of the session answers it, within the budget of the
/// session, and the body runs again with a [`Prompted`].
///
/// The model reads nothing of the conversation and has no tools.
///
/// ```
/// use legwork_core::ToolOutcome;
/// use legwork_core::tool::Prompt;
///
/// let outcome: ToolOutcome = Prompt::new("Name a colour.").with_max_output(100).into();
/// assert!(!outcome.is_answer());
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Prompt {
    messages: Vec<Arc<Message>>,
    /// The system prompt; none = nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Arc<str>>,
    /// The maximum of output tokens; none = that of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
}

impl Prompt {
    /// A text, as the message of a user.
    pub fn new(text: impl Into<String>) -> Self {
        Self { messages: vec![Arc::new(Message::user(text))], instructions: None, max_output: None }
    }

    /// Messages, oldest first.
    ///
    /// # Errors
    /// When a journal cannot hold one, or a tool call among them has no result.
    pub fn of(messages: impl IntoIterator<Item = Message>) -> Result<Self, Malformed> {
        let messages: Vec<_> = messages.into_iter().map(Arc::new).collect();
        Transcript::check(&messages)?;
        Ok(Self { messages, instructions: None, max_output: None })
    }

    /// The same with a system prompt.
    #[must_use]
    pub fn with_instructions(self, instructions: impl Into<Arc<str>>) -> Self {
        Self { instructions: Some(instructions.into()), ..self }
    }

    /// The same with a maximum of output tokens.
    #[must_use]
    pub fn with_max_output(self, tokens: u64) -> Self {
        Self { max_output: Some(tokens), ..self }
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }
}

impl From<Prompt> for ToolOutcome {
    fn from(prompt: Prompt) -> Self {
        InputRequest::of_model(prompt).into()
    }
}

/// What came of a [`Prompt`]; [`Supplied::read`](crate::tool::Supplied::read) reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Prompted {
    /// The model answered.
    Answered {
        /// What it wrote; never empty.
        text: String,
        /// The model, as the provider names it.
        model: Arc<str>,
        /// Whether the text ends at the maximum of output tokens.
        is_cut: bool,
    },
    /// There is no answer, for this reason.
    Failed(String),
}
