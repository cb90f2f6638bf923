//! The part of Messages that the baseline speaks.

use reqwest::RequestBuilder;
use serde::{Deserialize, Serialize};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

use super::dialect::{Arguments, Dialect, Frame, parameters};
use crate::{
    error::Error,
    subject::{ADD, INSTRUCTIONS, TASK},
};

/// Messages.
pub(super) struct Messages;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    max_tokens: u32,
    system: &'a str,
    messages: &'a [Message],
    tools: &'a RawValue,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stream: bool,
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
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    /// Text.
    Text { text: String },
    /// A call of the model.
    ToolUse { id: String, name: String, input: Value },
    /// What a tool said.
    ToolResult { tool_use_id: String, content: String },
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
struct Event {
    #[serde(rename = "type")]
    kind: Kind,
    delta: Option<Delta>,
    content_block: Option<Block>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    ContentBlockStart,
    ContentBlockDelta,
    ContentBlockStop,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Delta {
    text: Option<String>,
    partial_json: Option<String>,
}

impl Answer {
    /// Adds a piece to the open block.
    fn extend(&mut self, delta: Delta) {
        if let (Some(new), Some(Block::Text { text })) = (delta.text, self.content.last_mut()) {
            text.push_str(&new);
        }
        self.input.push_str(delta.partial_json.as_deref().unwrap_or_default());
    }

    /// Ends the open block.
    fn close(&mut self) -> serde_json::Result<()> {
        if let Some(Block::ToolUse { input, .. }) = self.content.last_mut() {
            *input = serde_json::from_str(&std::mem::take(&mut self.input))?;
        }
        Ok(())
    }
}

impl Dialect for Messages {
    type Message = Message;
    type Answer = Answer;
    type Call = Block;

    fn path(_: &str, _: bool) -> String {
        "messages".to_owned()
    }

    fn authorize(request: RequestBuilder) -> RequestBuilder {
        request.header("x-api-key", "bench").header("anthropic-version", "2023-06-01")
    }

    fn tools() -> Result<Box<RawValue>, Error> {
        to_raw_value(&serde_json::json!([
            {"name": "add", "description": ADD, "input_schema": parameters()},
        ]))
        .map_err(Error::json("the tool"))
    }

    fn opening() -> Vec<Message> {
        vec![Message { role: Role::User, content: vec![Block::Text { text: TASK.to_owned() }] }]
    }

    fn body(frame: &Frame<'_>, messages: &[Message]) -> serde_json::Result<Vec<u8>> {
        let Frame { model, tools, stream } = *frame;
        let (system, max_tokens) = (INSTRUCTIONS, 8_192);
        serde_json::to_vec(&Request { model, max_tokens, system, messages, tools, stream })
    }

    fn whole(body: &[u8]) -> Result<Answer, Error> {
        serde_json::from_slice(body).map_err(Error::json("a response"))
    }

    fn event(data: &[u8], answer: &mut Answer) -> Result<(), Error> {
        let event: Event = serde_json::from_slice(data).map_err(Error::json("an event"))?;
        match event.kind {
            Kind::ContentBlockStart => answer.content.extend(event.content_block),
            Kind::ContentBlockDelta => event.delta.into_iter().for_each(|new| answer.extend(new)),
            Kind::ContentBlockStop => answer.close().map_err(Error::json("the input of a call"))?,
            Kind::Other => {}
        }
        Ok(())
    }

    fn text(answer: &Answer) -> String {
        let text = |block: &Block| match block {
            Block::Text { text } => Some(text.clone()),
            _ => None,
        };
        answer.content.iter().filter_map(text).collect()
    }

    fn calls(answer: &Answer) -> Vec<&Block> {
        let is_call = |block: &&Block| matches!(block, Block::ToolUse { .. });
        answer.content.iter().filter(is_call).collect()
    }

    fn arguments(call: &Block) -> serde_json::Result<Arguments> {
        match call {
            Block::ToolUse { input, .. } => Arguments::deserialize(input),
            _ => Arguments::deserialize(&Value::Null),
        }
    }

    fn push(messages: &mut Vec<Message>, answer: Answer, sums: &[i64]) {
        let id = |block: &Block| match block {
            Block::ToolUse { id, .. } => Some(id.clone()),
            _ => None,
        };
        let ids = answer.content.iter().filter_map(id).zip(sums);
        let results: Vec<_> = ids
            .map(|(tool_use_id, sum)| Block::ToolResult { tool_use_id, content: sum.to_string() })
            .collect();
        messages.push(Message { role: Role::Assistant, content: answer.content });
        if !results.is_empty() {
            messages.push(Message { role: Role::User, content: results });
        }
    }
}
