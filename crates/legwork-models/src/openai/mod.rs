//! OpenAI's API Chat Completions, which most other servers speak, too.
//!
//! Needs the feature `openai`.

pub(crate) mod chat;
pub mod profile;

use crate::Api;
use crate::remote::Builder;

/// A model of a server that speaks Chat Completions; `/chat/completions` is appended to
/// `base_url`.
pub fn chat(base_url: impl Into<String>, model: impl Into<String>) -> Builder {
    Builder::new(Api::ChatCompletions, base_url, model)
}
