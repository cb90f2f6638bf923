//! What an editor is told of a session.

use serde_json::{Value, json};

/// Who says a piece of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Agent,
    /// The agent, to itself.
    Thought,
}

impl Speaker {
    fn name(self) -> &'static str {
        match self {
            Self::User => "user_message_chunk",
            Self::Agent => "agent_message_chunk",
            Self::Thought => "agent_thought_chunk",
        }
    }
}

/// A piece of text.
pub(crate) fn said(speaker: Speaker, text: &str) -> Value {
    shown(speaker, text_block(text))
}

/// A block of content.
pub(crate) fn shown(speaker: Speaker, content: Value) -> Value {
    json!({"sessionUpdate": speaker.name(), "content": content})
}

/// A block of text.
pub(crate) fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// A block with a picture in Base64.
pub(crate) fn image_block(data: &str, mime_type: &str) -> Value {
    json!({"type": "image", "data": data, "mimeType": mime_type})
}

/// A new tool call, with its fields.
pub(crate) fn call(fields: Value) -> Value {
    tagged("tool_call", fields)
}

/// A change of a tool call, with the fields that changed.
pub(crate) fn call_changed(fields: Value) -> Value {
    tagged("tool_call_update", fields)
}

fn tagged(name: &str, mut fields: Value) -> Value {
    if let Some(fields) = fields.as_object_mut() {
        fields.insert("sessionUpdate".to_owned(), name.into());
    }
    fields
}
