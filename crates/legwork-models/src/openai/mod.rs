//! OpenAI's APIs: Chat Completions, which most other servers speak, too, and Responses.
//!
//! Needs the feature `openai` for the one, `responses` for the other.

#[cfg(feature = "openai")]
pub(crate) mod chat;
#[cfg(any(feature = "openai", feature = "responses"))]
mod format;
#[cfg(feature = "responses")]
pub(crate) mod responses;

use crate::Api;
use crate::remote::Builder;

/// A model of a server that speaks Chat Completions; `/chat/completions` is appended to
/// `base_url`.
#[cfg(feature = "openai")]
pub fn chat(base_url: impl Into<String>, model: impl Into<String>) -> Builder {
    Builder::new(Api::ChatCompletions, base_url, model)
}

/// A model of a server that speaks OpenAI's Responses; `/responses` is appended to `base_url`.
///
/// Each request holds the whole conversation, and asks the server to keep nothing
/// (`store: false`) and to give reasoning in an encrypted form that can be sent back.
/// [`in_background`](Builder::in_background) and
/// [`continue_responses`](Builder::continue_responses) let it keep its responses.
/// [Fields](Builder::field) change that, too: `store`, `include`, `previous_response_id` (of a
/// response that is known; the whole conversation is sent beside it), `background`. The items of a
/// field `tools` are tools that the server runs, such as `{"type": "web_search"}`; they are added to
/// the functions. The fields `text` and `reasoning` are merged into what the settings say.
///
/// The API knows no stop sequences, no seed, and no number of tokens as a level of thinking:
/// a request with one of them is refused.
#[cfg(feature = "responses")]
pub fn responses(base_url: impl Into<String>, model: impl Into<String>) -> Builder {
    Builder::new(Api::Responses, base_url, model)
}
