//! The definition of an agent, as events record it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::digest::Digest;
use crate::inference::ModelSettings;
use crate::output::Wanted;
use crate::settings::SessionSettings;

/// The definition of an agent: the part of it that is data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Definition {
    /// The system prompt.
    pub instructions: Arc<str>,
    /// The model and its parameters.
    pub settings: ModelSettings,
    /// The limits of an execution.
    pub budget: Budget,
    /// A version that the program gives the definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The output that executions end with; none if any answer will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Arc<Wanted>>,
    /// The digest of the specs of its own tools, those of toolsets left out; none if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Digest>,
}

/// No instructions, no model, and no limit.
impl Default for Definition {
    fn default() -> Self {
        let (instructions, settings) = (Arc::from(""), ModelSettings::default());
        let budget = Budget::unlimited();
        Self { instructions, settings, budget, version: None, output: None, tools: None }
    }
}

/// What happens to a session whose agent has another definition by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum DefinitionPolicy {
    /// The session goes on with the present definition, which is recorded.
    #[default]
    Upgrade,
    /// The session goes on with the recorded definition: its instructions, model, settings and
    /// limits. Tools are the present ones, as far as they are code.
    Pin,
    /// The session is refused.
    Refuse,
}

impl Definition {
    /// The same with settings of a session over it.
    #[must_use]
    pub fn with_settings(&self, set: &SessionSettings) -> Self {
        let kept = &self.settings;
        let model = set.model.as_ref().filter(|model| !model.is_empty());
        let model = Arc::clone(model.unwrap_or(&kept.model));
        let limits = set.limits.or(&self.budget);
        Self {
            instructions: set.instructions.as_ref().unwrap_or(&self.instructions).clone(),
            settings: ModelSettings { model, ..kept.clone() },
            budget: set.unlimited.iter().fold(limits, |limits, one| limits.without(one)),
            ..self.clone()
        }
    }

    /// The names of the fields that differ from those of another definition.
    pub fn changes(&self, other: &Self) -> Vec<&'static str> {
        let Self { instructions, settings, budget, version, output, tools } = self;
        let differs = [
            ("instructions", *instructions != other.instructions),
            ("model", settings.model != other.settings.model),
            (
                "settings",
                *settings
                    != ModelSettings { model: settings.model.clone(), ..other.settings.clone() },
            ),
            ("limits", *budget != other.budget),
            ("version", *version != other.version),
            ("output", *output != other.output),
            ("tools", *tools != other.tools),
        ];
        differs.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
    }

    /// The digest of all its fields.
    pub fn digest(&self) -> Digest {
        Digest::of_serialize(self)
            .unwrap_or_else(|_| Digest::of_bytes(self.instructions.as_bytes()))
    }
}

/// The definition of the agent was recorded, or changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Defined {
    /// The definition that applies from now on.
    pub definition: Arc<Definition>,
    /// Its digest, if it is the agent's own; none if the state was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}
