//! Answers, read as their bytes come in; no IO.
//!
//! [`Reply`] reads one answer of any API: live traffic and recordings take the same way
//! through it. A wire puts what it reads into an `Assembly`, of which the response is made.
//!
//! Read in this order: `reply`, `decode`, `json`, `assembly`, `call`, `usage`, `room` (bounds),
//! `remainder` (fields without a place), `repeated` (fields that answers repeat), `error`, `frames` (binary streams).

pub(crate) mod assembly;
pub(crate) mod call;
pub(crate) mod decode;
pub(crate) mod error;
#[cfg(feature = "bedrock")]
pub(crate) mod frames;
pub(crate) mod json;
mod remainder;
pub(crate) mod repeated;
mod reply;
mod room;
pub(crate) mod usage;

pub use assembly::Ended;
pub use error::ApiError;
pub use reply::{Reply, Streaming, Unreadable};
