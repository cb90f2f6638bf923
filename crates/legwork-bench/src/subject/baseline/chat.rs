//! The part of Chat Completions that the baseline speaks.

mod stream;

use reqwest::{RequestBuilder, header::AUTHORIZATION};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::dialect::{Arguments, Dialect, Frame, nothing, parameters};
use crate::{
    error::Error,
    subject::{ADD, INSTRUCTIONS, TASK},
};

/// Chat Completions.
pub(super) struct Chat;

/// A request: the whole conversation, each time.
#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: &'a [Message],
    tools: &'a RawValue,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stream: bool,
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
    content: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call>,
}

/// A call of the model.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Call {
    id: String,
    #[serde(rename = "type")]
    kind: Kind,
    function: Function,
}

/// The only kind of call there is.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// A function.
    #[default]
    Function,
}

/// The name of the function, and its arguments: JSON in a string.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Function {
    name: String,
    arguments: String,
}

/// An unstreamed response.
#[derive(Deserialize)]
struct Response {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Answer,
}

impl Dialect for Chat {
    type Message = Message;
    type Answer = Answer;
    type Call = Call;

    fn path(_: &str, _: bool) -> String {
        "chat/completions".to_owned()
    }

    fn authorize(request: RequestBuilder) -> RequestBuilder {
        request.header(AUTHORIZATION, "Bearer bench")
    }

    fn tools() -> Result<Box<RawValue>, Error> {
        to_raw_value(&serde_json::json!([{
            "type": "function",
            "function": {"name": "add", "description": ADD, "parameters": parameters()},
        }]))
        .map_err(Error::json("the tool"))
    }

    fn opening() -> Vec<Message> {
        vec![
            Message::System { content: INSTRUCTIONS.to_owned() },
            Message::User { content: TASK.to_owned() },
        ]
    }

    fn body(frame: &Frame<'_>, messages: &[Message]) -> serde_json::Result<Vec<u8>> {
        let Frame { model, tools, stream } = *frame;
        serde_json::to_vec(&Request { model, messages, tools, stream })
    }

    fn whole(body: &[u8]) -> Result<Answer, Error> {
        let whole: Response = serde_json::from_slice(body).map_err(Error::json("a response"))?;
        let first = whole.choices.into_iter().next();
        Ok(first.ok_or(nothing("a response's choices"))?.message)
    }

    fn event(data: &[u8], answer: &mut Answer) -> Result<(), Error> {
        stream::take(data, answer)
    }

    fn text(answer: &Answer) -> String {
        answer.content.clone().unwrap_or_default()
    }

    fn calls(answer: &Answer) -> Vec<&Call> {
        answer.tool_calls.iter().collect()
    }

    fn arguments(call: &Call) -> serde_json::Result<Arguments> {
        serde_json::from_str(&call.function.arguments)
    }

    fn push(messages: &mut Vec<Message>, answer: Answer, sums: &[i64]) {
        let result = |(call, sum): (&Call, &i64)| Message::Tool {
            tool_call_id: call.id.clone(),
            content: sum.to_string(),
        };
        let results: Vec<_> = answer.tool_calls.iter().zip(sums).map(result).collect();
        messages.push(Message::Assistant(answer));
        messages.extend(results);
    }
}
