//! Model providers of Legwork: one module and one feature each, over one HTTP client.
//!
//! It turns a [`ModelRequest`](legwork_port::core::ModelRequest) into a provider's wire
//! and the answer into a [`Response`](legwork_port::core::Response), tries again what may
//! heal, and keeps time limits. It is deliberately not the loop: it runs no tools, keeps
//! no history, and reads neither the environment nor any file for a key.
//!
//! ```
//! use legwork_models::openai;
//! use legwork_port::Model;
//!
//! let model = openai::chat("http://127.0.0.1:8080/v1", "qwen2.5-coder")
//!     .provider("local")
//!     .api_key("none")
//!     .build()?;
//! assert_eq!(model.name(), "local:qwen2.5-coder");
//! # Ok::<(), legwork_models::Error>(())
//! ```
//!
//! Read the modules in this order: [`sse`] (event streams), [`retry`] (failed
//! attempts made again), [`bounds`] (how much of an answer is read), [`catalogue`] (what is known
//! of models), `named` (a model and its options in one string), `http` (the client and its time limits), `wire` (how an API writes requests and
//! answers), `answer` (an answer while it comes in), `credentials` (what allows a request),
//! `remote` (a model behind an API), and then the wires: `openai`, `anthropic`, `gemini`,
//! `bedrock`; `embeddings` has those of embedding models. [`layers`] puts limits, fallbacks and caches around any model.
//!
//! Emits `tracing` data: a span `chat` for each attempt (`DEBUG`; fields `model`, `server`,
//! `attempt`), with events for a connection that is opened and an answer that is finished; an
//! attempt that will be repeated (`INFO`) and an inference that failed (`WARN`), with status and
//! kind. No field holds a key, a header, a prompt, or anything else that a server wrote.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `openai` | yes | `openai::chat`: Chat Completions |
//! | `responses` | yes | `openai::responses`: the Responses API of OpenAI |
//! | `anthropic` | yes | `anthropic`: Anthropic's Messages |
//! | `gemini` | yes | `gemini`: the Gemini API, and Vertex AI |
//! | `bedrock` | | `bedrock`: Amazon Bedrock's Converse |
//! | `embeddings` | yes | `embeddings`: texts as vectors; every API that has them brings it |
//! | `clock` | | the clock of the system for the [`layers`] that wait; every API brings it |
//! | `proxy` | | `http::Proxies`: requests go through the proxies that variables name |
//! | `http2` | | HTTP/2 to servers that offer it |
//! | `compression` | | answers compressed with gzip or Brotli |
//! | `zstd` | | answers compressed with Zstandard, too; compiles its library, which is C |
// Tests measure what is allocated, and an allocator is unsafe; the workspace denies it them.
#![cfg_attr(not(test), forbid(unsafe_code))]
#![cfg_attr(
    not(any(
        feature = "anthropic",
        feature = "bedrock",
        feature = "gemini",
        feature = "openai",
        feature = "responses"
    )),
    allow(
        dead_code,
        unreachable_code,
        unused_imports,
        unused_variables,
        reason = "there is no wire"
    )
)]

#[cfg(feature = "http")]
#[cfg_attr(
    not(all(
        feature = "anthropic",
        feature = "bedrock",
        feature = "gemini",
        feature = "openai",
        feature = "responses"
    )),
    allow(dead_code, unused_imports, reason = "no wire uses all of it")
)]
pub mod answer;
#[cfg(feature = "anthropic")]
pub mod anthropic;
#[cfg(feature = "http")]
mod api;
#[cfg(feature = "bedrock")]
pub mod bedrock;
pub mod bounds;
pub mod catalogue;
#[cfg(feature = "http")]
pub mod credentials;
#[cfg(feature = "embeddings")]
#[cfg_attr(
    not(all(feature = "gemini", feature = "openai")),
    allow(dead_code, reason = "no wire uses all of it")
)]
pub mod embeddings;
#[cfg(feature = "bedrock")]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "gemini")]
pub mod gemini;
#[cfg(feature = "http")]
pub mod http;
pub mod layers;
#[cfg(feature = "http")]
pub mod named;
#[cfg(any(feature = "openai", feature = "responses"))]
pub mod openai;
#[cfg(feature = "http")]
pub mod providers;
mod recited;
#[cfg(feature = "http")]
pub mod remote;
mod resaying;
pub mod retry;
pub mod sse;
#[cfg(feature = "http")]
#[cfg_attr(
    not(all(
        feature = "anthropic",
        feature = "bedrock",
        feature = "gemini",
        feature = "openai",
        feature = "responses"
    )),
    allow(dead_code, unused_imports, reason = "no wire uses all of it")
)]
mod wire;

#[cfg(feature = "http")]
pub use api::{Api, UnknownApi};
pub use bounds::Bounds;
pub use catalogue::Catalogue;
#[cfg(feature = "http")]
pub use named::Named;
#[cfg(feature = "http")]
pub use providers::Provider;
#[cfg(feature = "http")]
pub use remote::{Builder, Error, HttpModel};
#[cfg(feature = "embeddings")]
pub use remote::{EmbedderBuilder, HttpEmbedder};
#[cfg(feature = "http")]
pub use wire::{
    CallIds, MaxTokensField, PromptCache, Quirks, SeedField, ThinkingBack, ThinkingControl,
};
