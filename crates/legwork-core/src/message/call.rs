//! A request by the model to run a tool.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::CallId;
use crate::lean;
use crate::message::ProviderData;

/// A request by the model to run a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCall {
    /// The provider's id of the call; its result refers to it.
    pub id: CallId,
    /// The tool's name as the model wrote it.
    #[serde(deserialize_with = "lean::text")]
    pub name: Arc<str>,
    /// The arguments as the model wrote them; not necessarily valid JSON.
    #[serde(deserialize_with = "lean::text")]
    pub arguments: Arc<str>,
    /// Data of the provider, sent back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderData>,
}

impl ToolCall {
    /// A call of a tool with arguments as text.
    pub fn new(
        id: impl Into<CallId>,
        name: impl Into<Arc<str>>,
        arguments: impl Into<Arc<str>>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into(), provider: None }
    }

    /// The arguments as JSON; a blank text is an empty object.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn parse(&self) -> Result<Value, serde_json::Error> {
        if self.arguments.trim().is_empty() {
            return Ok(Value::Object(serde_json::Map::new()));
        }
        serde_json::from_str(&self.arguments)
    }
}
