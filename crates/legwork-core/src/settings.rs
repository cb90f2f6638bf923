//! The settings of a session that a person sets, apart from the definition of its agent.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::budget::{Budget, Dimension};
use crate::event::Definition;
use crate::inference::ModelSettings;

/// Settings of a session that a person sets: its model, instructions and limits.
///
/// What is not named stays as it is. What is named applies over the definition of the agent,
/// whichever that is by now, until it is set again or [`reset`](Self::reset).
///
/// ```
/// use legwork_core::Budget;
/// use legwork_core::settings::SessionSettings;
///
/// let settings = SessionSettings::new().model("large").limits(Budget::unlimited().steps(200));
/// assert!(!settings.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionSettings {
    /// Whether what was set before is taken back first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reset: bool,
    /// The name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Arc<str>>,
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<Arc<str>>,
    /// The limits that are set; those that it does not have stay.
    #[serde(default = "Budget::unlimited", skip_serializing_if = "has_none")]
    pub limits: Budget,
    /// The limits that are removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlimited: Vec<Dimension>,
}

fn has_none(limits: &Budget) -> bool {
    *limits == Budget::unlimited()
}

/// Nothing is set.
impl Default for SessionSettings {
    fn default() -> Self {
        let (limits, unlimited) = (Budget::unlimited(), Vec::new());
        Self { reset: false, model: None, instructions: None, limits, unlimited }
    }
}

impl SessionSettings {
    /// No settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the model: the name of one that the agent has.
    #[must_use]
    pub fn model(self, name: impl Into<Arc<str>>) -> Self {
        Self { model: Some(name.into()), ..self }
    }

    /// Sets the system prompt.
    #[must_use]
    pub fn instructions(self, instructions: impl Into<Arc<str>>) -> Self {
        Self { instructions: Some(instructions.into()), ..self }
    }

    /// Sets the limits that this budget has; the others stay.
    #[must_use]
    pub fn limits(self, limits: Budget) -> Self {
        let unlimited = self.unlimited.into_iter().filter(|one| limits.limit(one).is_none());
        Self { unlimited: unlimited.collect(), limits: limits.or(&self.limits), ..self }
    }

    /// Removes a limit.
    #[must_use]
    pub fn unlimited(mut self, dimension: Dimension) -> Self {
        self.limits = self.limits.without(&dimension);
        if !self.unlimited.contains(&dimension) {
            self.unlimited.push(dimension);
        }
        self
    }

    /// Takes back what was set before: the definition of the agent applies again.
    #[must_use]
    pub fn reset(self) -> Self {
        Self { reset: true, ..self }
    }

    /// Whether nothing is set, and nothing taken back.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a limit is set or removed.
    pub fn has_limits(&self) -> bool {
        self.reset || !has_none(&self.limits) || !self.unlimited.is_empty()
    }

    /// These settings, with what is set later over them.
    #[must_use]
    pub fn then(self, later: &Self) -> Self {
        let before = if later.reset { Self::default() } else { self };
        let merged = later.unlimited.iter().cloned().fold(before, Self::unlimited);
        let merged = merged.limits(later.limits.clone());
        let (model, instructions) = (later.model.clone(), later.instructions.clone());
        Self {
            reset: false,
            model: model.or(merged.model),
            instructions: instructions.or(merged.instructions),
            ..merged
        }
    }

    /// A definition with these settings over it.
    #[must_use]
    pub fn over(&self, definition: &Definition) -> Definition {
        let kept = &definition.settings;
        let model = self.model.as_ref().filter(|model| !model.is_empty());
        let model = Arc::clone(model.unwrap_or(&kept.model));
        let limits = self.limits.or(&definition.budget);
        Definition {
            instructions: self.instructions.as_ref().unwrap_or(&definition.instructions).clone(),
            settings: ModelSettings { model, ..kept.clone() },
            budget: self.unlimited.iter().fold(limits, |limits, one| limits.without(one)),
            ..definition.clone()
        }
    }
}
