//! The loaded skill, as it is stored in the session.

use legwork_core::AgentState;
use serde::{Deserialize, Serialize};

/// The metadata key of the [`Active`] skill, if one is loaded.
pub const KEY: &str = "legwork.skill";

/// The loaded skill: all that is needed to apply it, even if its file is gone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Active {
    /// Its name; none if no skill is loaded and only the model is still to be reset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its `allowed-tools`, as written in its file; none = all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// The model that it requires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's own model, to be used again after the skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_before: Option<String>,
}

impl Active {
    /// The loaded skill of a state; none if none is loaded.
    ///
    /// # Errors
    /// If the metadata has another value under [`KEY`].
    pub fn of(state: &AgentState) -> Result<Option<Self>, String> {
        let Some(value) = state.context().metadata.get(KEY) else { return Ok(None) };
        let read = serde_json::from_value(value.clone());
        read.map(Some).map_err(|error| {
            format!("the metadata value `{KEY}` is not a skill ({error}): do not write this key")
        })
    }

    /// The state with this as the loaded skill.
    pub(super) fn keep(&self, state: AgentState) -> AgentState {
        let nothing = *self == Self::default();
        let value = serde_json::to_value(self).ok().filter(|_| !nothing);
        if state.context().metadata.get(KEY) == value.as_ref() {
            return state;
        }
        state.with_metadata(KEY, value)
    }
}

/// The model of the session, even while a skill uses another: the one that a person set, or the
/// agent's own.
pub fn base_model(state: &AgentState) -> String {
    let set = state.facts().settings.model.as_deref().map(str::to_owned);
    let before = Active::of(state).ok().flatten().and_then(|active| active.model_before);
    set.or(before).unwrap_or_else(|| state.settings().model.to_string())
}
