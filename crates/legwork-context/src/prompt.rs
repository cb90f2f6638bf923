//! What the body of a call asks the model of the session: the request, and what came of it.

use std::sync::Arc;

use legwork_core::event::{Answered, Event};
use legwork_core::inbox::Answer;
use legwork_core::inference::ThinkingLevel;
use legwork_core::state::Pending;
use legwork_core::tool::{Prompt, Prompted};
use legwork_core::{
    AgentState, FinishReason, ModelRequest, ModelSettings, Response, Seq, Transcript,
};
use serde_json::json;

/// The call that a prompt is of.
pub(crate) struct CallPrompt {
    pending: Pending,
    /// The model as the settings name it.
    model: Arc<str>,
}

/// A request with the messages of a prompt alone, without tools.
///
/// The level of thinking of the session is for its own answers: what a model thinks counts among the
/// output tokens, of which a prompt may leave few.
fn request(prompt: &Prompt, settings: &ModelSettings) -> ModelRequest {
    let max_output = settings.max_output.into_iter().chain(prompt.max_output).min();
    let thinking = match (&settings.thinking, prompt.max_output) {
        (Some(level), Some(_)) if *level != ThinkingLevel::Off => None,
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
    /// The prompt of a call that waits for the model, and the request that it is asked with; none
    /// if the call waits for something else.
    pub(crate) fn of(state: &AgentState, pending: &Pending) -> Option<(ModelRequest, Self)> {
        let prompt = pending.prompt()?;
        let settings = state.settings();
        let (pending, model) = (pending.clone(), Arc::clone(&settings.model));
        Some((request(prompt, settings), Self { pending, model }))
    }

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
