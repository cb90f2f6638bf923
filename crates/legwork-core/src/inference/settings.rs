//! Which model is used, with which parameters.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::string_enum::string_enum;

string_enum! {
    /// How much a model should reason before it answers.
    ThinkingLevel {
        /// Not at all, if the model allows it.
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

/// Whether the model must call a tool, and which.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No tool.
    None,
    /// At least one tool.
    Required,
    /// The tool of this name.
    Named(String),
}

/// Which model is used, with which parameters.
///
/// They are part of the state: a change applies to the next inference.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelSettings {
    /// The model as `provider:name`; the agent looks it up.
    pub model: Arc<str>,
    /// The maximum of output tokens; none = the model's maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u64>,
    /// The sampling temperature; none = the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How much the model should reason; none = the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<ThinkingLevel>,
    /// Whether the model must call a tool, and which; none = the model decides.
    ///
    /// A demand is met by a call, whatever came of it: after it the model may answer
    /// ([`AgentState::tool_choice`](crate::AgentState::tool_choice)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Whether an answer may have several tool calls; none = the provider's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_calls: Option<bool>,
    /// Nucleus sampling: the cumulative probability to sample from, above 0 and at most 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// The sampling seed, for providers that support one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Stop sequences: texts at which an answer ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Further fields of the request, as the provider's API names them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}
