//! The OpenAI-compatible Chat Completions wire.
//!
//! [`ChatCompletions`] is the model. [`Reply`] reads one answer as its bytes come in and
//! does no IO: live traffic and recordings take the same way through it.
//!
//! Needs the feature `openai`.
//!
//! Read in this order: `builder`, `chat`, `exchange` (one attempt), `encode`
//! (requests), `reply`, `decode`, `assembly`, `call`, `usage` (answers),
//! `error`, `failure` (what goes wrong), `profile` (what is known of models), `models`
//! (what a server offers).

mod address;
mod assembly;
mod builder;
mod call;
mod chat;
mod decode;
mod encode;
mod error;
mod exchange;
mod failure;
mod json;
mod models;
pub mod profile;
mod remainder;
mod reply;
mod room;
mod secrets;
mod usage;

pub use assembly::Ended;
pub use builder::{Builder, Error};
pub use chat::ChatCompletions;
pub use encode::MaxTokensField;
pub use error::ApiError;
pub use models::{Offered, Unavailable};
pub use reply::{Reply, Streaming, Unreadable};

#[cfg(test)]
#[cfg(all(feature = "http2", feature = "proxy"))]
mod tests;
