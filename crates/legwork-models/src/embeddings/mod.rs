//! Embeddings: texts as vectors, over the APIs of OpenAI, Google, Cohere and Ollama.
//!
//! Each function makes the builder of an embedder; [`Reply`] reads an answer of any [`Api`].
//! Texts are sent in as many requests as the provider's [limits](Quirks) want, one after the
//! other, and each request is repeated as those of models are.
//!
//! ```
//! use legwork_models::embeddings;
//! use legwork_port::Embedder;
//!
//! let embedder = embeddings::openai("https://api.openai.com/v1", "text-embedding-3-small")
//!     .api_key("none")
//!     .build()?;
//! assert_eq!(embedder.name(), "openai:text-embedding-3-small");
//! assert_eq!(embedder.profile().dimensions, Some(1_536));
//! # Ok::<(), legwork_models::Error>(())
//! ```
//!
//! Read in this order: `api`, `wire` (how requests are written and answers read), the four wires,
//! `draft` (an answer as it is read), `reply`, `fault` (what can be wrong with vectors), `batch`,
//! `quirks`, `profile`. Needs the feature of an API that has embeddings.

mod api;
mod batch;
#[cfg(feature = "openai")]
mod cohere;
mod draft;
mod fault;
#[cfg(feature = "gemini")]
mod gemini;
#[cfg(feature = "openai")]
mod ollama;
#[cfg(any(feature = "openai", feature = "responses"))]
mod openai;
mod profile;
mod quirks;
mod reply;
#[cfg(test)]
mod tests;
mod wire;

#[cfg(any(feature = "openai", feature = "responses", feature = "gemini"))]
use crate::remote::EmbedderBuilder;

pub use api::Api;
pub use fault::Fault;
pub use quirks::{Dialect, DimensionsField, Quirks};
pub use reply::{Reply, Unreadable};

pub(crate) use batch::batches;
pub(crate) use profile::known;
pub(crate) use reply::BOUNDS;
pub(crate) use wire::Asked;

/// A model of a server that speaks OpenAI's embeddings, as most servers of open models do;
/// `/embeddings` is appended to `base_url`.
///
/// A purpose makes no difference to it.
#[cfg(any(feature = "openai", feature = "responses"))]
pub fn openai(base_url: impl Into<String>, model: impl Into<String>) -> EmbedderBuilder {
    EmbedderBuilder::new(Api::OpenAi, base_url, model)
}

/// A model of a server that speaks the Gemini API, such as that of
/// [`gemini::BASE_URL`](crate::gemini::BASE_URL).
///
/// A purpose is sent as a task type, or before the text where the model wants it there
/// (`gemini-embedding-2`).
#[cfg(feature = "gemini")]
pub fn gemini(base_url: impl Into<String>, model: impl Into<String>) -> EmbedderBuilder {
    EmbedderBuilder::new(Api::Gemini, base_url, model)
}

/// A model of Cohere, at its own API: `/v2/embed` is appended to `base_url`, without the path of
/// its other APIs (`/compatibility/v1`).
///
/// Texts are embedded as documents unless a purpose says otherwise. A text that is too long is an
/// error (`truncate` is a [field](EmbedderBuilder::field)).
#[cfg(feature = "openai")]
pub fn cohere(base_url: impl Into<String>, model: impl Into<String>) -> EmbedderBuilder {
    EmbedderBuilder::new(Api::Cohere, base_url, model)
}

/// A model of Ollama, at its own API: `/api/embed` is appended to `base_url`, without the path of
/// its other API (`/v1`).
///
/// A text that is too long is an error (`truncate` is a [field](EmbedderBuilder::field)). A
/// purpose makes no difference to it: where a model wants a prefix, put it before the texts.
#[cfg(feature = "openai")]
pub fn ollama(base_url: impl Into<String>, model: impl Into<String>) -> EmbedderBuilder {
    EmbedderBuilder::new(Api::Ollama, base_url, model)
}
