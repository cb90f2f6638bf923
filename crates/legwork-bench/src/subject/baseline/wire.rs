//! The part of Chat Completions that the baseline speaks.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::{error::Error, subject::ADD};

/// A request: the whole conversation, each time.
#[derive(Serialize)]
pub(super) struct Request<'a> {
    pub(super) model: &'a str,
    pub(super) messages: &'a [Message],
    pub(super) tools: &'a RawValue,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) stream: bool,
}

/// A message of the conversation.
#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(super) enum Message {
    /// Instructions.
    System { content: String },
    /// What a person said.
    User { content: String },
    /// What the model said.
    Assistant(Answer),
    /// What a tool said.
    Tool { tool_call_id: String, content: String },
}

/// An answer of the model.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Answer {
    pub(super) content: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<Call>,
}

/// A call of the model.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Call {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    pub(super) function: Function,
}

/// The only kind of call there is.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// A function.
    #[default]
    Function,
}

/// The name of the function, and its arguments: JSON in a string.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) arguments: String,
}

/// The arguments of the one tool.
#[derive(Deserialize)]
pub(super) struct Arguments {
    pub(super) a: i64,
    pub(super) b: i64,
}

/// An unstreamed response.
#[derive(Deserialize)]
pub(super) struct Response {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Answer,
}

impl Response {
    /// The answer of its first choice.
    pub(super) fn first(self) -> Result<Answer, Error> {
        let first = self.choices.into_iter().next();
        Ok(first.ok_or(nothing("a response's choices"))?.message)
    }
}

impl Message {
    /// Instructions.
    pub(super) fn system(text: &str) -> Self {
        Self::System { content: text.to_owned() }
    }

    /// What a person said.
    pub(super) fn user(text: &str) -> Self {
        Self::User { content: text.to_owned() }
    }
}

/// The tool, as in the API; encoded once.
pub(super) fn tools() -> Result<Box<RawValue>, Error> {
    let integer = serde_json::json!({"type": "integer"});
    to_raw_value(&serde_json::json!([{
        "type": "function",
        "function": {
            "name": "add",
            "description": ADD,
            "parameters": {
                "type": "object",
                "properties": {"a": integer, "b": integer},
                "required": ["a", "b"],
            },
        },
    }]))
    .map_err(Error::json("the tool"))
}

/// An error for something that should not be empty.
pub(super) fn nothing(what: &'static str) -> Error {
    Error::Outcome { what, expected: "one".to_owned(), found: "none".to_owned() }
}
