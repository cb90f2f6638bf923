//! The part of Bedrock's Converse that the baseline speaks.

mod frame;

use reqwest::{RequestBuilder, header::AUTHORIZATION};
use serde::{Deserialize, Serialize};
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

use self::frame::Frame as EventFrame;
use super::dialect::{Arguments, Dialect, Frame, parameters};
use crate::{
    error::Error,
    subject::{ADD, INSTRUCTIONS, TASK},
};

/// Converse, with an API key.
pub(super) struct Bedrock;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    system: [System<'a>; 1],
    messages: &'a [Message],
    tool_config: ToolConfig<'a>,
}

#[derive(Serialize)]
struct System<'a> {
    text: &'a str,
}

#[derive(Serialize)]
struct ToolConfig<'a> {
    tools: &'a RawValue,
}

/// A message of the conversation.
#[derive(Debug, Serialize)]
pub(super) struct Message {
    role: Role,
    content: Vec<Block>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
}

/// A block of content.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
enum Block {
    Text(String),
    ToolUse(Call),
    ToolResult(Output),
}

/// A call of the model.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Call {
    tool_use_id: String,
    name: String,
    #[serde(default)]
    input: Value,
}

/// What a tool said.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Output {
    tool_use_id: String,
    content: Vec<Said>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Said {
    text: String,
}

#[derive(Deserialize)]
struct Response {
    output: Answered,
}

#[derive(Deserialize)]
struct Answered {
    message: Answer,
}

/// An answer of the model.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Answer {
    content: Vec<Block>,
    /// The input of the open call, as far as it came.
    #[serde(skip)]
    input: String,
}

#[derive(Deserialize)]
struct Started {
    start: Block,
}

#[derive(Deserialize)]
struct More {
    delta: Delta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Delta {
    Text(String),
    ToolUse { input: String },
}

impl Answer {
    /// Adds a piece to the open block; a text begins with its first piece.
    fn extend(&mut self, delta: Delta) {
        match (delta, self.content.last_mut()) {
            (Delta::Text(new), Some(Block::Text(text))) => text.push_str(&new),
            (Delta::Text(new), _) => self.content.push(Block::Text(new)),
            (Delta::ToolUse { input }, _) => self.input.push_str(&input),
        }
    }

    /// Ends the open block.
    fn close(&mut self) -> serde_json::Result<()> {
        if let Some(Block::ToolUse(call)) = self.content.last_mut() {
            call.input = serde_json::from_str(&std::mem::take(&mut self.input))?;
        }
        Ok(())
    }

    fn calls(&self) -> impl Iterator<Item = &Call> {
        self.content.iter().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            _ => None,
        })
    }
}

impl Dialect for Bedrock {
    type Message = Message;
    type Answer = Answer;
    type Call = Call;

    fn path(model: &str, streamed: bool) -> String {
        match streamed {
            true => format!("model/{model}/converse-stream"),
            false => format!("model/{model}/converse"),
        }
    }

    fn authorize(request: RequestBuilder) -> RequestBuilder {
        request.header(AUTHORIZATION, "Bearer bench")
    }

    fn tools() -> Result<Box<RawValue>, Error> {
        let schema = json!({"json": parameters()});
        let spec = json!({"name": "add", "description": ADD, "inputSchema": schema});
        to_raw_value(&json!([{"toolSpec": spec}])).map_err(Error::json("the tool"))
    }

    fn opening() -> Vec<Message> {
        vec![Message { role: Role::User, content: vec![Block::Text(TASK.to_owned())] }]
    }

    fn body(frame: &Frame<'_>, messages: &[Message]) -> serde_json::Result<Vec<u8>> {
        let system = [System { text: INSTRUCTIONS }];
        let tool_config = ToolConfig { tools: frame.tools };
        serde_json::to_vec(&Request { system, messages, tool_config })
    }

    fn whole(body: &[u8]) -> Result<Answer, Error> {
        let response: Response = serde_json::from_slice(body).map_err(Error::json("a response"))?;
        Ok(response.output.message)
    }

    fn take(open: &mut Vec<u8>, answer: &mut Answer) -> Result<(), Error> {
        let mut rest = &**open;
        while let Some(EventFrame { kind, payload }) = EventFrame::cut(&mut rest) {
            let error = || Error::json("an event");
            match kind {
                b"contentBlockStart" => {
                    let started: Started = serde_json::from_slice(payload).map_err(error())?;
                    answer.content.push(started.start);
                }
                b"contentBlockDelta" => {
                    let more: More = serde_json::from_slice(payload).map_err(error())?;
                    answer.extend(more.delta);
                }
                b"contentBlockStop" => answer.close().map_err(error())?,
                _ => {}
            }
        }
        let left = rest.len();
        open.drain(..open.len() - left);
        Ok(())
    }

    fn event(_: &[u8], _: &mut Answer) -> Result<(), Error> {
        // Its stream has no lines.
        Ok(())
    }

    fn text(answer: &Answer) -> String {
        let text = |block: &Block| match block {
            Block::Text(text) => Some(text.clone()),
            _ => None,
        };
        answer.content.iter().filter_map(text).collect()
    }

    fn calls(answer: &Answer) -> Vec<&Call> {
        answer.calls().collect()
    }

    fn arguments(call: &Call) -> serde_json::Result<Arguments> {
        Arguments::deserialize(&call.input)
    }

    fn push(messages: &mut Vec<Message>, answer: Answer, sums: &[i64]) {
        let result = |(call, sum): (&Call, &i64)| {
            let content = vec![Said { text: sum.to_string() }];
            Block::ToolResult(Output { tool_use_id: call.tool_use_id.clone(), content })
        };
        let results: Vec<_> = answer.calls().zip(sums).map(result).collect();
        messages.push(Message { role: Role::Assistant, content: answer.content });
        if !results.is_empty() {
            messages.push(Message { role: Role::User, content: results });
        }
    }
}
