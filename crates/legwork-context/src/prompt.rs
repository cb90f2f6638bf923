//! What the body of a call asks the model of the session: the request, and what came of it.

use std::sync::Arc;

use legwork_core::event::{Answered, Event, Purpose};
use legwork_core::inbox::Answer;
use legwork_core::inference::ThinkingLevel;
use legwork_core::state::Pending;
use legwork_core::tool::{Prompt, Prompted};
use legwork_core::{
    AgentState, FinishReason, ModelRequest, ModelSettings, Response, Seq, Transcript,
};
use serde_json::json;

use crate::auxiliary::{About, Auxiliary};

/// The call that a prompt is of.
pub(crate) struct CallPrompt {
    pending: Pending,
    /// The model as the settings name it.
    model: Arc<str>,
}

impl Auxiliary {
    /// The prompt of a call that waits for the model; none if it waits for something else.
    pub fn of_call(state: &AgentState, pending: &Pending) -> Option<Self> {
        let prompt = pending.prompt()?;
        let settings = state.settings();
        let call_prompt =
            CallPrompt { pending: pending.clone(), model: Arc::clone(&settings.model) };
        let (purpose, about) = (Purpose::ToolPrompt, About::Call(Box::new(call_prompt)));
        Some(Self { purpose, model: None, request: request(prompt, settings), about })
    }
}

/// A request with the messages of a prompt alone, without tools.
///
/// Where the prompt has a maximum of output tokens, the model thinks as little as it can: what it
/// thinks counts among them.
fn request(prompt: &Prompt, settings: &ModelSettings) -> ModelRequest {
    let max_output = settings.max_output.into_iter().chain(prompt.max_output).min();
    let thinking = match (&settings.thinking, prompt.max_output) {
        (Some(level), Some(_)) if *level != ThinkingLevel::Off => Some(ThinkingLevel::Minimal),
        (level, _) => level.clone(),
    };
    let settings = ModelSettings { max_output, thinking, tool_choice: None, ..settings.clone() };
    let mut messages = Transcript::default();
    prompt.messages().iter().for_each(|message| messages.push(Seq::ZERO, Arc::clone(message)));
    let mut request = match messages.settled() {
        Some(settled) => ModelRequest::new(settled, settings.into()),
        None => ModelRequest::blank(settings.into()),
    };
    if let Some(instructions) = &prompt.instructions {
        request.instructions = Arc::clone(instructions);
    }
    request
}

impl CallPrompt {
    /// The event with which the call goes on.
    pub(crate) fn supplied(&self, prompted: &Prompted) -> Event {
        let answer = Answer::supply(&self.pending, json!(prompted)).by("the model");
        Event::Answered(Answered { answer }.into())
    }

    /// What the body of the call reads of a response.
    pub(crate) fn read(&self, response: &Response) -> Prompted {
        if let Some(error) = response.incomplete_error(None, &self.model) {
            return Prompted::Failed(error.message);
        }
        let (text, finish) = (response.text(), &response.finish);
        if text.trim().is_empty() {
            return Prompted::Failed(format!("it wrote no text (finish reason: {finish})"));
        }
        let model = response.model.clone().unwrap_or_else(|| Arc::clone(&self.model));
        Prompted::Answered { text, model, is_cut: *finish == FinishReason::Length }
    }
}
