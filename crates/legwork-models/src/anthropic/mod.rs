//! Anthropic's API Messages: `encode` writes requests, `decode` reads answers.
//!
//! Needs the feature `anthropic`.

mod decode;
mod encode;

use http::{HeaderMap, HeaderName, HeaderValue};
use legwork_core::ModelRequest;
use legwork_port::{Ability, Deltas};

use crate::Api;
use crate::answer::Streaming;
use crate::answer::assembly::Assembly;
use crate::answer::json::{Read, Reader};
use crate::remote::Builder;
use crate::wire::{Body, Counting, Course, Frame, Head, Quirks, Wire, only, provider_tools, write};

/// A model of a server that speaks Messages; `/messages` is appended to `base_url`, which is
/// `https://api.anthropic.com/v1` at Anthropic.
///
/// The items of a [field](Builder::field) `tools` are tools that the server runs, such as
/// `{"type": "web_search_20250305", "name": "web_search"}`; they are added to the functions. An
/// answer that the server pauses (`pause_turn`) is continued within the inference.
pub fn messages(base_url: impl Into<String>, model: impl Into<String>) -> Builder {
    Builder::new(Api::Messages, base_url, model)
}

/// The version of the API that requests are written for.
const VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// The fields of a request that are counted, by "Count tokens in a Message" in the API reference.
const COUNTED: [&str; 7] =
    ["messages", "model", "system", "tools", "tool_choice", "thinking", "output_config"];

const COUNTING: Counting = Counting {
    endpoint: |_| "messages/count_tokens".to_owned(),
    body: |counted| only(counted.body, &COUNTED).into(),
    number: "/input_tokens",
};

/// The wire of Messages.
pub(crate) struct Messages;

impl Wire for Messages {
    fn name(&self) -> &'static str {
        "messages"
    }

    fn title(&self) -> &'static str {
        "Anthropic Messages"
    }

    fn provider(&self) -> &'static str {
        "anthropic"
    }

    fn thinks_beside_demands(&self) -> bool {
        false
    }

    fn lacks(&self) -> &'static [Ability] {
        &[Ability::Audio, Ability::JsonObject]
    }

    fn counting(&self) -> Option<Counting> {
        Some(COUNTING)
    }

    fn is_path(&self, path: &str) -> bool {
        path.ends_with("/messages")
    }

    fn endpoint(&self, _model: &str, _asked: Streaming) -> String {
        "messages".to_owned()
    }

    fn headers(&self, headers: &mut HeaderMap) {
        headers.insert("anthropic-version", VERSION);
    }

    fn key(&self, key: &str) -> Result<(HeaderName, HeaderValue), http::Error> {
        Ok((HeaderName::from_static("x-api-key"), HeaderValue::try_from(key)?))
    }

    fn own_fields(&self) -> &'static [&'static str] {
        &["messages", "stream", "model", "system"]
    }

    fn head(&self, provider: &str, model: &str, _quirks: &Quirks) -> Head {
        let mut start = b"{\"model\":".to_vec();
        write(&mut start, model);
        Head::new(self.name(), provider, start)
    }

    fn body(&self, request: &ModelRequest, frame: Frame<'_>, out: &mut Body) -> Result<(), String> {
        encode::body(request, frame, out)
    }

    fn course(&self, request: &ModelRequest, frame: Frame<'_>) -> Course {
        match provider_tools(request, frame).next() {
            Some(_) => Course::InParts,
            None => Course::Direct,
        }
    }

    fn read(&self, json: &mut Reader<'_>, into: &mut Assembly, on: &mut dyn Deltas) -> Read {
        decode::read(json, into, on)
    }

    fn read_usage(&self, json: &mut Reader<'_>, into: &mut Assembly) -> Read {
        decode::read_usage(json, into)
    }
}
