//! The texts of messages.

use std::sync::Arc;

use legwork_core::message::ResultPart;
use legwork_core::{Message, ModelRequest, Part, Response};
use serde_json::Value;

use super::Redaction;

impl Redaction {
    /// The request, changed; messages that stay the same are shared.
    pub(super) fn request(&self, mut request: ModelRequest) -> ModelRequest {
        let instructions = self.text(&request.instructions);
        if instructions != *request.instructions {
            request.instructions = instructions.into();
        }
        let changed: Vec<_> = request.messages().iter().map(|one| self.message(one)).collect();
        if changed.iter().all(Option::is_none) {
            return request;
        }
        let mut redacted = ModelRequest::blank(Arc::clone(&request.settings));
        redacted.instructions = Arc::clone(&request.instructions);
        redacted.tools = Arc::clone(&request.tools);
        redacted.tool_choice = request.tool_choice.clone();
        redacted.response_format = request.response_format.clone();
        redacted.max_output = request.max_output;
        let messages = request.messages().iter().zip(changed);
        messages.fold(redacted, |redacted, (message, changed)| {
            redacted.with_message(changed.unwrap_or_else(|| Message::clone(message)))
        })
    }

    /// The response, changed.
    pub(super) fn response(&self, response: Response) -> Response {
        match self.message(&response.message) {
            Some(message) => Response { message: Arc::new(message), ..response },
            None => response,
        }
    }

    /// The message, changed; none if it stays the same.
    fn message(&self, message: &Message) -> Option<Message> {
        let parts: Vec<_> = message.parts.iter().map(|part| self.part(part.clone())).collect();
        (parts != message.parts).then(|| message.clone().with_parts(parts))
    }

    fn part(&self, mut part: Part) -> Part {
        match &mut part {
            Part::Text(text) | Part::Refusal(text) => text.text = self.text(&text.text),
            Part::Thinking(thinking) if thinking.provider.is_none() => {
                thinking.text = self.text(&thinking.text);
            }
            Part::ToolResult(result) => result.parts.iter_mut().for_each(|part| match part {
                ResultPart::Text(text) => *text = self.text(text),
                ResultPart::Json(value) => self.json(value),
                _ => {}
            }),
            _ => {}
        }
        part
    }

    /// Changes the texts of a value, but no names of fields.
    fn json(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.json(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.json(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
