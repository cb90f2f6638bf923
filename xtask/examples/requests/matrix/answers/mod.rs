//! Answers of models as the servers of each wire send them.

use legwork_models::Api;
use serde_json::Value;

mod bedrock;
mod chat;
mod gemini;
mod messages;
mod responses;

/// A part of an answer.
pub(crate) enum Said<'a> {
    /// Thinking that can be read, with what the provider signs or encrypts of it.
    Thought(&'a str),
    /// Thinking that only the provider can read.
    Hidden,
    /// Words.
    Text(&'a str),
    /// A call of a tool.
    Call(&'a str, Value),
    /// Calls of tools that the provider ran itself, and what came of them.
    Ran,
}

/// The body of an answer; its turn makes the ids in it differ from those of others.
pub(super) fn answer(api: Api, provider: &str, turn: u32, said: &[Said<'_>]) -> Value {
    match api {
        Api::ChatCompletions => chat::answer(provider, turn, said),
        Api::Responses => responses::answer(turn, said),
        Api::Messages => messages::answer(turn, said),
        Api::GenerateContent => gemini::answer(turn, said),
        _ => bedrock::answer(turn, said),
    }
}

fn has_call(said: &[Said<'_>]) -> bool {
    said.iter().any(|said| matches!(said, Said::Call(..)))
}

/// An id of the part at a place.
fn id(prefix: &str, turn: u32, at: usize) -> String {
    format!("{prefix}_{turn:03}{at:02}")
}

/// The parts of an answer, of which each has none or several.
fn parts(said: &[Said<'_>], part: impl Fn(usize, &Said<'_>) -> Vec<Value>) -> Value {
    said.iter().enumerate().flat_map(|(at, said)| part(at, said)).collect::<Vec<_>>().into()
}

/// The page that a search finds, and its title.
const PAGE: (&str, &str) = ("https://example.com/sums", "Sums");
