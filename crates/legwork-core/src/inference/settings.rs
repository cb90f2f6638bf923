//! Which model is asked, and how.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::string_enum::string_enum;

string_enum! {
    /// How much a model is to think before it answers.
    ThinkingLevel {
        /// Not at all, where the model can do without.
        Off = "off",
        /// As little as it can.
        Minimal = "minimal",
        /// Little.
        Low = "low",
        /// As much as most tasks need.
        Medium = "medium",
        /// Much.
        High = "high",
    }
}

/// Whether and which tool the model is to call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As it sees fit.
    #[default]
    Auto,
    /// None.
    None,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// Which model is asked, and how; part of the state, so a change reaches the next inference.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelSettings {
    /// The model as `provider:name`; the agent resolves it.
    pub model: Arc<str>,
    /// Tokens that an answer may have; none = what the model allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How much the model is to think before it answers; none = the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<ThinkingLevel>,
    /// Whether and which tool the model is to call; none = as it sees fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Whether an answer may call several tools; none = the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_calls: Option<bool>,
    /// The share of likely tokens that are sampled from, above 0 and at most 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// A seed for providers that sample the same way for the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Texts at which an answer ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Further fields for the provider, as its API names them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}
