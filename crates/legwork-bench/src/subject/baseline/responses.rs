//! The part of Responses that the baseline speaks.

use reqwest::{RequestBuilder, header::AUTHORIZATION};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::dialect::{Arguments, Dialect, Frame, parameters};
use crate::{
    error::Error,
    subject::{ADD, INSTRUCTIONS, TASK},
};

/// Responses.
pub(super) struct Responses;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    instructions: &'a str,
    input: &'a [Item],
    tools: &'a RawValue,
    store: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stream: bool,
}

/// An item of the conversation.
#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Item {
    /// What a person or the model said.
    Message { role: Role, content: Vec<Content> },
    /// A call of the model.
    FunctionCall { call_id: String, name: String, arguments: String },
    /// What a tool said.
    FunctionCallOutput { call_id: String, output: String },
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    User,
    Assistant,
}

#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Content {
    #[serde(rename = "type")]
    kind: Text,
    text: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Text {
    InputText,
    OutputText,
}

/// An answer of the model.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Answer {
    output: Vec<Item>,
    /// The text of a stream, as it came.
    #[serde(skip)]
    shown: String,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: Kind,
    delta: Option<String>,
    item: Option<Item>,
}

#[derive(Deserialize)]
enum Kind {
    #[serde(rename = "response.output_text.delta")]
    TextDelta,
    #[serde(rename = "response.output_item.done")]
    ItemDone,
    #[serde(other)]
    Other,
}

impl Dialect for Responses {
    type Message = Item;
    type Answer = Answer;
    type Call = Item;

    fn path(_: &str, _: bool) -> String {
        "responses".to_owned()
    }

    fn authorize(request: RequestBuilder) -> RequestBuilder {
        request.header(AUTHORIZATION, "Bearer bench")
    }

    fn tools() -> Result<Box<RawValue>, Error> {
        to_raw_value(&serde_json::json!([
            {"type": "function", "name": "add", "description": ADD, "parameters": parameters()},
        ]))
        .map_err(Error::json("the tool"))
    }

    fn opening() -> Vec<Item> {
        let content = vec![Content { kind: Text::InputText, text: TASK.to_owned() }];
        vec![Item::Message { role: Role::User, content }]
    }

    fn body(frame: &Frame<'_>, messages: &[Item]) -> serde_json::Result<Vec<u8>> {
        let Frame { model, tools, stream } = *frame;
        let (instructions, input, store) = (INSTRUCTIONS, messages, false);
        serde_json::to_vec(&Request { model, instructions, input, tools, store, stream })
    }

    fn whole(body: &[u8]) -> Result<Answer, Error> {
        serde_json::from_slice(body).map_err(Error::json("a response"))
    }

    fn event(data: &[u8], answer: &mut Answer) -> Result<(), Error> {
        let event: Event = serde_json::from_slice(data).map_err(Error::json("an event"))?;
        match event.kind {
            Kind::TextDelta => answer.shown.push_str(event.delta.as_deref().unwrap_or_default()),
            Kind::ItemDone => answer.output.extend(event.item),
            Kind::Other => {}
        }
        Ok(())
    }

    fn text(answer: &Answer) -> String {
        if !answer.shown.is_empty() {
            return answer.shown.clone();
        }
        let content = answer.output.iter().filter_map(|item| match item {
            Item::Message { content, .. } => Some(content),
            _ => None,
        });
        content.flatten().map(|content| content.text.as_str()).collect()
    }

    fn calls(answer: &Answer) -> Vec<&Item> {
        let is_call = |item: &&Item| matches!(item, Item::FunctionCall { .. });
        answer.output.iter().filter(is_call).collect()
    }

    fn arguments(call: &Item) -> serde_json::Result<Arguments> {
        match call {
            Item::FunctionCall { arguments, .. } => serde_json::from_str(arguments),
            _ => serde_json::from_str(""),
        }
    }

    fn push(messages: &mut Vec<Item>, answer: Answer, sums: &[i64]) {
        let id = |item: &Item| match item {
            Item::FunctionCall { call_id, .. } => Some(call_id.clone()),
            _ => None,
        };
        let ids = answer.output.iter().filter_map(id).zip(sums);
        let results: Vec<_> = ids
            .map(|(call_id, sum)| Item::FunctionCallOutput { call_id, output: sum.to_string() })
            .collect();
        messages.extend(answer.output);
        messages.extend(results);
    }
}
