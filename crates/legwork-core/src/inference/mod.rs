//! Requests to models, and their responses.

mod discarded;
mod request;
mod response;
mod settings;
mod usage;

pub use discarded::Discarded;
pub use request::{LEAST_BYTES_PER_TOKEN, ModelRequest};
pub use response::{FinishReason, Incomplete, Response};
pub use settings::{ModelSettings, ThinkingLevel, ToolChoice};
pub use usage::Usage;
