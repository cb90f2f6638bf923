//! The part of the Gemini API that the baseline speaks.

use reqwest::RequestBuilder;
use serde::{Deserialize, Serialize};
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

use super::dialect::{Arguments, Dialect, Frame, nothing, parameters};
use crate::{
    error::Error,
    subject::{ADD, INSTRUCTIONS, TASK},
};

/// The Gemini API.
pub(super) struct Gemini;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    system_instruction: System<'a>,
    contents: &'a [Content],
    tools: &'a RawValue,
}

#[derive(Serialize)]
struct System<'a> {
    parts: [SystemPart<'a>; 1],
}

#[derive(Serialize)]
struct SystemPart<'a> {
    text: &'a str,
}

/// A message of the conversation.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Content {
    role: Role,
    #[serde(default)]
    parts: Vec<Part>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    #[default]
    Model,
}

/// A part of a message: one of these.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<Call>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_response: Option<Output>,
}

/// A call of the model.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Call {
    name: String,
    args: Value,
}

/// What a tool said.
#[derive(Debug, Deserialize, Serialize)]
struct Output {
    name: String,
    response: Value,
}

/// A response, and each chunk of a stream.
#[derive(Deserialize)]
struct Response {
    candidates: Vec<Candidate>,
}

#[derive(Deserialize)]
struct Candidate {
    content: Content,
}

impl Response {
    fn read(body: &[u8]) -> Result<Content, Error> {
        let whole: Self = serde_json::from_slice(body).map_err(Error::json("a response"))?;
        let first = whole.candidates.into_iter().next();
        Ok(first.ok_or(nothing("a response's candidates"))?.content)
    }
}

impl Dialect for Gemini {
    type Message = Content;
    type Answer = Content;
    type Call = Call;

    fn path(model: &str, streamed: bool) -> String {
        match streamed {
            true => format!("models/{model}:streamGenerateContent?alt=sse"),
            false => format!("models/{model}:generateContent"),
        }
    }

    fn authorize(request: RequestBuilder) -> RequestBuilder {
        request.header("x-goog-api-key", "bench")
    }

    fn tools() -> Result<Box<RawValue>, Error> {
        let declaration =
            json!({"name": "add", "description": ADD, "parametersJsonSchema": parameters()});
        to_raw_value(&json!([{"functionDeclarations": [declaration]}]))
            .map_err(Error::json("the tool"))
    }

    fn opening() -> Vec<Content> {
        let part = Part { text: Some(TASK.to_owned()), ..Part::default() };
        vec![Content { role: Role::User, parts: vec![part] }]
    }

    fn body(frame: &Frame<'_>, messages: &[Content]) -> serde_json::Result<Vec<u8>> {
        let system_instruction = System { parts: [SystemPart { text: INSTRUCTIONS }] };
        let (contents, tools) = (messages, frame.tools);
        serde_json::to_vec(&Request { system_instruction, contents, tools })
    }

    fn whole(body: &[u8]) -> Result<Content, Error> {
        Response::read(body)
    }

    fn event(data: &[u8], answer: &mut Content) -> Result<(), Error> {
        for part in Response::read(data)?.parts {
            match (&part.text, answer.parts.last_mut()) {
                (Some(new), Some(Part { text: Some(text), .. })) => text.push_str(new),
                _ => answer.parts.push(part),
            }
        }
        Ok(())
    }

    fn text(answer: &Content) -> String {
        answer.parts.iter().filter_map(|part| part.text.as_deref()).collect()
    }

    fn calls(answer: &Content) -> Vec<&Call> {
        answer.parts.iter().filter_map(|part| part.function_call.as_ref()).collect()
    }

    fn arguments(call: &Call) -> serde_json::Result<Arguments> {
        Arguments::deserialize(&call.args)
    }

    fn push(messages: &mut Vec<Content>, answer: Content, sums: &[i64]) {
        let calls = answer.parts.iter().filter_map(|part| part.function_call.as_ref());
        let result = |(call, sum): (&Call, &i64)| Part {
            function_response: Some(Output {
                name: call.name.clone(),
                response: json!({"result": sum}),
            }),
            ..Part::default()
        };
        let results: Vec<_> = calls.zip(sums).map(result).collect();
        messages.push(answer);
        if !results.is_empty() {
            messages.push(Content { role: Role::User, parts: results });
        }
    }
}
