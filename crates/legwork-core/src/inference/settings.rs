//! Which model is asked, and how.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Which model is asked, and how; part of the state, so a change reaches the next inference.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ModelSettings {
    /// The model as `provider:name`; the agent resolves it.
    pub model: Arc<str>,
    /// Tokens that an answer may have; none = what the model allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Further fields for the provider, as its API names them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}
