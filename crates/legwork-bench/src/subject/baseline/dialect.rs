//! What the APIs have in common for a client that is written by hand.

use reqwest::RequestBuilder;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::stream;
use crate::error::Error;

/// An API as the baseline speaks it.
pub(super) trait Dialect: 'static {
    /// A message of the conversation.
    type Message: Serialize + Send + Sync;
    /// An answer of the model.
    type Answer: Default + Send + Sync;
    /// A call in an answer.
    type Call: Sync;

    /// Where a request goes, behind the base URL.
    fn path(model: &str, streamed: bool) -> String;

    /// The request with the key of the API.
    fn authorize(request: RequestBuilder) -> RequestBuilder;

    /// The tool, as in the API; encoded once.
    fn tools() -> Result<Box<RawValue>, Error>;

    /// The messages before the first answer.
    fn opening() -> Vec<Self::Message>;

    /// A request: the whole conversation, each time.
    fn body(frame: &Frame<'_>, messages: &[Self::Message]) -> serde_json::Result<Vec<u8>>;

    /// The answer of an unstreamed response.
    fn whole(body: &[u8]) -> Result<Self::Answer, Error>;

    /// Takes the whole events of a stream out of the bytes that came, and adds them to the answer.
    fn take(open: &mut Vec<u8>, answer: &mut Self::Answer) -> Result<(), Error> {
        stream::take_lines(open, |data| Self::event(data, answer))
    }

    /// Adds the data of one server-sent event to the answer.
    fn event(data: &[u8], answer: &mut Self::Answer) -> Result<(), Error>;

    /// The text of an answer.
    fn text(answer: &Self::Answer) -> String;

    /// The calls of an answer.
    fn calls(answer: &Self::Answer) -> Vec<&Self::Call>;

    /// The arguments of a call.
    fn arguments(call: &Self::Call) -> serde_json::Result<Arguments>;

    /// Appends an answer, and the results of its calls in their order.
    fn push(messages: &mut Vec<Self::Message>, answer: Self::Answer, sums: &[i64]);
}

/// What a request says besides the messages.
pub(super) struct Frame<'a> {
    pub(super) model: &'a str,
    pub(super) tools: &'a RawValue,
    pub(super) stream: bool,
}

/// The arguments of the one tool.
#[derive(Deserialize)]
pub(super) struct Arguments {
    pub(super) a: i64,
    pub(super) b: i64,
}

/// The schema of the arguments.
pub(super) fn parameters() -> serde_json::Value {
    let integer = serde_json::json!({"type": "integer"});
    serde_json::json!({
        "type": "object",
        "properties": {"a": integer, "b": integer},
        "required": ["a", "b"],
    })
}

/// An error for something that should not be empty.
pub(super) fn nothing(what: &'static str) -> Error {
    Error::Outcome { what, expected: "one".to_owned(), found: "none".to_owned() }
}
