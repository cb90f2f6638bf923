//! What is asked of a model and what it answers.

mod request;
mod response;
mod settings;
mod usage;

pub use request::{ModelRequest, ToolChoice};
pub use response::{FinishReason, Incomplete, Response};
pub use settings::ModelSettings;
pub use usage::Usage;
