//! A request to a model.

use std::sync::{Arc, LazyLock};

use serde_json::Value;

use crate::chunked::Chunked;
use crate::inference::{ModelSettings, ToolChoice};
use crate::message::Message;
use crate::tool::ToolSpecs;
use crate::transcript::Settled;

/// Bytes that a token has at the least, on the average of a request or an answer: an
/// estimate by it errs on the safe side for prose and code in common languages.
pub const LEAST_BYTES_PER_TOKEN: u64 = 3;

/// Empty instructions and tools, shared, because a request is built for each step.
static NOTHING: LazyLock<(Arc<str>, Arc<ToolSpecs>)> =
    LazyLock::new(|| (Arc::from(""), Arc::default()));

/// A request to a model: shared messages, settings and tools.
///
/// It can only be built from a [`Settled`] transcript, so each tool call in it has exactly one
/// result. Requests share the messages, so that bytes cached with these are reused.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// Which model, and how.
    pub settings: Arc<ModelSettings>,
    /// The system prompt; may be empty.
    pub instructions: Arc<str>,
    /// The tools that are shown to the model.
    pub tools: Arc<ToolSpecs>,
    /// Whether the model must call a tool, and which.
    pub tool_choice: ToolChoice,
    /// The JSON Schema of the answer, for models that support one.
    pub response_format: Option<Arc<Value>>,
    /// The maximum of output tokens, after clamping to the budget; none = the model's maximum.
    pub max_output: Option<u64>,
    messages: Chunked<Arc<Message>>,
    weight: u64,
    /// Whether its messages are those of a transcript in another form.
    rendered: bool,
}

impl ModelRequest {
    /// A request over a settled transcript.
    ///
    /// Messages of programs ([`Message::app`]) are left out; without any, the request shares
    /// the messages of the transcript.
    pub fn new(transcript: Settled<'_>, settings: Arc<ModelSettings>) -> Self {
        if transcript.app_messages() > 0 {
            let request = Self::rendered(transcript, settings, Arc::clone);
            return Self { rendered: false, ..request };
        }
        Self::with_messages(transcript.messages().clone(), transcript.weight(), settings)
    }

    /// A request over a settled transcript whose messages are shown in another form.
    ///
    /// `render` returns each message as the model reads it, usually with [`Message::rendered`].
    /// If it turns calls into text, it must do the same with their results: this is not checked.
    /// Messages of programs are left out.
    pub fn rendered(
        transcript: Settled<'_>,
        settings: Arc<ModelSettings>,
        mut render: impl FnMut(&Arc<Message>) -> Arc<Message>,
    ) -> Self {
        let mut request = Self::blank(settings);
        let is_for_models = |message: &&Arc<Message>| message.app.is_none();
        for message in transcript.messages().iter().filter(is_for_models) {
            let message = render(message);
            request.weight += message.weight();
            request.messages.push(message);
        }
        Self { rendered: true, ..request }
    }

    /// A request without messages, for a model that does not read them.
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
            rendered: false,
        }
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> &Chunked<Arc<Message>> {
        &self.messages
    }

    /// Whether its messages are those of a transcript in another form
    /// ([`rendered`](Self::rendered)).
    pub fn is_rendered(&self) -> bool {
        self.rendered
    }

    /// The same with its first messages alone.
    #[must_use]
    pub fn first(mut self, messages: usize) -> Self {
        self.messages.truncate(messages);
        self.weight = self.messages.iter().map(|message| message.weight()).sum();
        self
    }

    /// The same with one more message at the end, such as a reminder.
    ///
    /// A message of a program ([`Message::app`]) is not added: it is not for models as it is.
    #[must_use]
    pub fn with_message(mut self, message: Message) -> Self {
        if message.app.is_some() {
            return self;
        }
        self.weight += message.weight();
        self.messages.push(Arc::new(message));
        self
    }

    /// An estimate of what the model reads of it, in bytes of text.
    pub fn weight(&self) -> u64 {
        self.weight + self.tools.weight() + self.instructions.len() as u64
    }

    /// An estimate of its input tokens, rather too many than too few.
    ///
    /// By [`weight`](Self::weight) and [`LEAST_BYTES_PER_TOKEN`]; a budget reserves as much.
    pub fn estimated_tokens(&self) -> u64 {
        self.weight().div_ceil(LEAST_BYTES_PER_TOKEN)
    }
}
