//! What is asked of a model.

use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::chunked::Chunked;
use crate::inference::{ModelSettings, ToolChoice};
use crate::message::Message;
use crate::tool::ToolSpecs;
use crate::transcript::Settled;

/// No instructions and no tools, shared: a request is made for each step.
static NOTHING: LazyLock<(Arc<str>, Arc<ToolSpecs>)> =
    LazyLock::new(|| (Arc::from(""), Arc::default()));

/// A request to a model: shared messages, settings and tools.
///
/// It is made from a [`Settled`] transcript only, so each tool call in it has exactly one
/// result. Messages keep their identity from request to request.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// Which model, and how.
    pub settings: Arc<ModelSettings>,
    /// The system prompt; may be empty.
    pub instructions: Arc<str>,
    /// The tools shown.
    pub tools: Arc<ToolSpecs>,
    /// Whether and which tool to call.
    pub tool_choice: ToolChoice,
    /// JSON Schema that the answer shall fit, where the model can do it.
    pub response_format: Option<Arc<Value>>,
    /// Tokens that the answer may have, after clamping; none = what the model allows.
    pub max_output: Option<u64>,
    messages: Chunked<Arc<Message>>,
    weight: u64,
}

impl ModelRequest {
    /// A request over a settled transcript.
    pub fn new(transcript: Settled<'_>, settings: Arc<ModelSettings>) -> Self {
        Self::with_messages(transcript.messages().clone(), transcript.weight(), settings)
    }

    /// A request over a settled transcript whose messages are shown otherwise.
    ///
    /// `render` gives each message as the model reads it, usually kept beside it
    /// ([`Message::rendered`]). It may turn calls and results to text, and has to do both
    /// or neither: the transcript is settled, what it makes of it is its own affair.
    pub fn rendered(
        transcript: Settled<'_>,
        settings: Arc<ModelSettings>,
        mut render: impl FnMut(&Arc<Message>) -> Arc<Message>,
    ) -> Self {
        let mut request = Self::blank(settings);
        for message in transcript.messages().iter() {
            let message = render(message);
            request.weight += message.weight();
            request.messages.push(message);
        }
        request
    }

    /// A request with nothing to read, for what answers without reading.
    pub fn blank(settings: Arc<ModelSettings>) -> Self {
        Self::with_messages(Chunked::new(), 0, settings)
    }

    fn with_messages(
        messages: Chunked<Arc<Message>>,
        weight: u64,
        settings: Arc<ModelSettings>,
    ) -> Self {
        Self {
            max_output: settings.max_output,
            tool_choice: settings.tool_choice.clone().unwrap_or_default(),
            settings,
            instructions: Arc::clone(&NOTHING.0),
            tools: Arc::clone(&NOTHING.1),
            response_format: None,
            messages,
            weight,
        }
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> &Chunked<Arc<Message>> {
        &self.messages
    }

    /// The same with another message at the end, such as a reminder.
    #[must_use]
    pub fn with_message(mut self, message: Message) -> Self {
        self.weight += message.weight();
        self.messages.push(Arc::new(message));
        self
    }

    /// A rough size in bytes of what the model reads.
    pub fn weight(&self) -> u64 {
        self.weight + self.tools.weight() + self.instructions.len() as u64
    }
}
