//! Responses: `encode` writes requests, `decode` reads answers, `continued` finds the response
//! that a request goes on from.
//!
//! A response is a list of items. A part of a message holds what must be sent back of its item:
//! its id, and the provider's data with the item's `type`, which tells them from data of Chat
//! Completions at the same provider. An item with several texts becomes as many parts of one id.

pub(crate) mod continued;
mod decode;
mod encode;

use legwork_core::ModelRequest;
use legwork_port::{Ability, Deltas};
use serde_json::Value;

use crate::answer::Streaming;
use crate::answer::assembly::Assembly;
use crate::answer::json::{Read, Reader};
use crate::named::{AUTO, BACKGROUND, PREVIOUS};
use crate::wire::{
    Body, Counting, Course, Frame, Head, Quirks, Stored, Wire, from_outside, only, write,
};

/// The fields of a request that are counted, by "Get input token counts" in the API reference.
const COUNTED: [&str; 10] = [
    "conversation",
    "input",
    "instructions",
    "model",
    "parallel_tool_calls",
    "previous_response_id",
    "reasoning",
    "text",
    "tool_choice",
    "tools",
];

const COUNTING: Counting = Counting {
    endpoint: |_| "responses/input_tokens".to_owned(),
    body: |counted| only(counted.body, &COUNTED).into(),
    number: "/input_tokens",
};

/// The wire of Responses.
pub(crate) struct Responses;

impl Wire for Responses {
    fn name(&self) -> &'static str {
        "responses"
    }

    fn title(&self) -> &'static str {
        "Responses"
    }

    fn provider(&self) -> &'static str {
        "openai"
    }

    fn lacks(&self) -> &'static [Ability] {
        &[Ability::Audio]
    }

    fn counting(&self) -> Option<Counting> {
        Some(COUNTING)
    }

    fn is_path(&self, path: &str) -> bool {
        path.ends_with("/responses")
    }

    fn endpoint(&self, _model: &str, _asked: Streaming) -> String {
        "responses".to_owned()
    }

    fn own_fields(&self) -> &'static [&'static str] {
        &["input", "instructions", "model", "stream"]
    }

    fn head(&self, provider: &str, model: &str, _quirks: &Quirks) -> Head {
        let mut start = b"{\"model\":".to_vec();
        write(&mut start, model);
        Head::new(self.name(), provider, start)
    }

    fn body(&self, request: &ModelRequest, frame: Frame<'_>, out: &mut Body) -> Result<(), String> {
        encode::body(request, frame, out)
    }

    fn keeps_responses(&self) -> bool {
        true
    }

    fn course(&self, request: &ModelRequest, frame: Frame<'_>) -> Course {
        stored(request, frame).map_or(Course::Direct, Course::Stored)
    }

    fn read(&self, json: &mut Reader<'_>, into: &mut Assembly, on: &mut dyn Deltas) -> Read {
        decode::read(json, into, on)
    }

    fn read_usage(&self, json: &mut Reader<'_>, into: &mut Assembly) -> Read {
        decode::read_usage(json, into)
    }
}

/// What the response to a request includes, for those who ask for the response later.
pub(crate) fn included(request: &ModelRequest, frame: Frame<'_>) -> Vec<String> {
    let Some(list) = from_outside("include", request, frame).last() else {
        return vec![encode::INCLUDED.to_owned()];
    };
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// What the response to a request is kept for, if it is.
fn stored(request: &ModelRequest, frame: Frame<'_>) -> Option<Stored> {
    if frame.extra.is_empty() && request.settings.extra.is_empty() {
        return None;
    }
    let background = from_outside(BACKGROUND, request, frame).last() == Some(&Value::Bool(true));
    let continues = from_outside(PREVIOUS, request, frame).last().is_some_and(|id| id == AUTO);
    (background || continues).then_some(Stored { background, continues })
}
