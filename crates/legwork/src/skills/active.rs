//! The skill that holds, as the session keeps it.

use legwork_core::AgentState;
use serde::{Deserialize, Serialize};

/// The key in a session's metadata: the [`Active`] skill, if one holds.
pub const KEY: &str = "legwork.skill";

/// The skill that holds: all that it takes to hold it, though its file be gone by now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Active {
    /// Its name; none when no skill holds any more and only the model is still to be set
    /// back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its `allowed-tools`, as it writes them; none = all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// The model that it wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model that was asked before a skill wanted another, to be asked again after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_before: Option<String>,
}

impl Active {
    /// The skill that holds in a state.
    ///
    /// # Errors
    /// When the metadata has something else under [`KEY`], in words.
    pub fn of(state: &AgentState) -> Result<Option<Self>, String> {
        let Some(value) = state.context().metadata.get(KEY) else { return Ok(None) };
        let read = serde_json::from_value(value.clone());
        read.map(Some).map_err(|error| {
            format!(
                "the metadata value `{KEY}` is no skill ({error}): it is written by skills alone"
            )
        })
    }

    /// The state in which this holds.
    pub(super) fn keep(&self, state: AgentState) -> AgentState {
        let nothing = *self == Self::default();
        let value = serde_json::to_value(self).ok().filter(|_| !nothing);
        if state.context().metadata.get(KEY) == value.as_ref() {
            return state;
        }
        state.with_metadata(KEY, value)
    }
}

/// The model of the agent itself, whatever a skill wants meanwhile.
pub fn base_model(state: &AgentState) -> String {
    let before = Active::of(state).ok().flatten().and_then(|active| active.model_before);
    before.unwrap_or_else(|| state.settings().model.to_string())
}
