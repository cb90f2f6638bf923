//! What a model was asked, the same whether it came in process or over HTTP.

use legwork_core::{ModelRequest, Part, Role, ToolCall};
use serde_json::Value;

/// What a model was asked, as plain data to look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The model, as the request names it.
    pub model: String,
    /// The system prompt.
    pub instructions: String,
    /// The messages, oldest first, without the system prompt.
    pub messages: Vec<Said>,
    /// The names of the tools shown.
    pub tools: Vec<String>,
    /// Whether the answer is to be streamed.
    pub stream: bool,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The author's role.
    pub role: Role,
    /// All text of it, tool results included.
    pub text: String,
    /// The tool calls in it.
    pub calls: Vec<ToolCall>,
    /// The call that it answers, if it is a tool's.
    pub answers: Option<String>,
}

impl Asked {
    /// Which turn this is: how many answers of the model the request holds.
    pub fn turn(&self) -> usize {
        self.messages.iter().filter(|said| said.role == Role::Assistant).count()
    }

    /// The text of the last message.
    pub fn last(&self) -> &str {
        self.messages.last().map_or("", |said| &said.text)
    }

    /// The results of the last turn's calls, in the order they came.
    pub fn results(&self) -> Vec<&str> {
        let last = self.messages.iter().rposition(|said| said.role == Role::Assistant);
        let after = self.messages.iter().skip(last.map_or(0, |index| index + 1));
        after.filter(|said| said.role == Role::Tool).map(|said| &*said.text).collect()
    }

    /// The plain data of an in-process request.
    pub fn of_request(request: &ModelRequest, stream: bool) -> Self {
        Self {
            model: request.settings.model.to_string(),
            instructions: request.instructions.to_string(),
            messages: request.messages().iter().map(|message| said(message)).collect(),
            tools: request.tools.iter().map(|spec| spec.name.to_string()).collect(),
            stream,
        }
    }

    /// What the body of a Chat Completions request asks; what is missing is empty.
    pub fn of_chat(body: &Value) -> Self {
        let all = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let is_system = |m: &&Value| matches!(m["role"].as_str(), Some("system" | "developer"));
        let system: Vec<_> = all.iter().filter(is_system).map(|m| text(&m["content"])).collect();
        let tools = body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        Self {
            model: owned(&body["model"]),
            instructions: system.join("\n"),
            messages: all.iter().filter(|m| !is_system(m)).map(said_in_chat).collect(),
            tools: tools.iter().map(|tool| owned(at(tool, "/function/name"))).collect(),
            stream: body["stream"] == true,
        }
    }
}

fn said(message: &legwork_core::Message) -> Said {
    let mut text = String::new();
    let mut answers = None;
    for part in &message.parts {
        match part {
            Part::Text(piece) | Part::Refusal(piece) => text.push_str(&piece.text),
            Part::ToolResult(result) => {
                text.push_str(&result.text());
                answers = Some(result.call.to_string());
            }
            _ => {}
        }
    }
    let calls = message.tool_calls().map(|call| (**call).clone()).collect();
    Said { role: message.role.clone(), text, calls, answers }
}

fn said_in_chat(message: &Value) -> Said {
    let calls = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
    let call = |call: &Value| {
        let [id, name, arguments] =
            ["/id", "/function/name", "/function/arguments"].map(|path| owned(at(call, path)));
        ToolCall::new(id, name, arguments)
    };
    Said {
        role: Role::from(message["role"].as_str().unwrap_or_default()),
        text: text(&message["content"]),
        calls: calls.iter().map(call).collect(),
        answers: message["tool_call_id"].as_str().map(str::to_owned),
    }
}

/// The value at a JSON pointer, or null.
pub(crate) fn at<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

fn owned(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The text of a `content` field: a string, or parts of which some are text.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}
