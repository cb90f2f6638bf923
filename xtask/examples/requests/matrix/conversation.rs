//! What the transcripts of cases are made of.

use std::sync::Arc;

use legwork_core::inference::{ModelRequest, ModelSettings};
use legwork_core::message::{Message, Part, ResultPart, ToolResult};
use legwork_core::tool::{ToolCall, ToolSpec, ToolSpecs};
use serde_json::json;

/// What is asked first.
pub(crate) const QUESTION: &str = "What is 17 + 25?";

/// A question, and what followed it.
pub(crate) fn conversation(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    let settings = Arc::new(ModelSettings::default());
    let request = ModelRequest::blank(settings).with_message(Message::user(QUESTION));
    messages.into_iter().fold(request, ModelRequest::with_message)
}

/// The same read back from JSON, as a journal gives it.
pub(crate) fn resumed(messages: &[Message]) -> Result<ModelRequest, String> {
    let read = messages.iter().map(|message| {
        let written = serde_json::to_string(message).map_err(|error| error.to_string())?;
        serde_json::from_str::<Message>(&written).map_err(|error| error.to_string())
    });
    Ok(conversation(read.collect::<Result<Vec<_>, _>>()?))
}

/// A request with two tools.
pub(crate) fn with_tools(mut request: ModelRequest) -> ModelRequest {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    });
    let spec = |name: &str| Arc::new(ToolSpec::new(name, "Does sums.", schema.clone()));
    request.tools = Arc::new(ToolSpecs::new(vec![spec("add"), spec("subtract")]));
    request
}

/// A request with settings.
pub(crate) fn set(mut request: ModelRequest, settings: ModelSettings) -> ModelRequest {
    request.settings = Arc::new(settings);
    request
}

/// A call of the tool `add`.
pub(crate) fn call(id: &str, arguments: &str) -> Part {
    Part::ToolCall(Arc::new(ToolCall::new(id, "add", arguments)))
}

/// The result of such a call.
pub(crate) fn result(id: &str, parts: Vec<ResultPart>) -> Message {
    Message::tool_result(ToolResult { parts, ..ToolResult::new(id, "add", "") })
}

/// A result that is a text.
pub(crate) fn text(text: &str) -> Vec<ResultPart> {
    vec![ResultPart::Text(text.to_owned())]
}
