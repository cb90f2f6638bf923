//! Which tools a step shows to the model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::tool::ToolSpec;

/// Which of the agent's tools a step shows to the model, and how; it never adds one.
///
/// A hidden tool cannot be called in the step either.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolSelection {
    only: Option<BTreeSet<Arc<str>>>,
    hidden: BTreeSet<Arc<str>>,
    rewritten: BTreeMap<Arc<str>, Rewrite>,
}

/// What a model is shown of a tool in place of its own description and schema.
#[derive(Debug, Clone, Default, PartialEq)]
struct Rewrite {
    description: Option<Arc<str>>,
    parameters: Option<serde_json::Value>,
}

impl ToolSelection {
    /// All tools, unchanged.
    pub fn all() -> Self {
        Self::default()
    }

    /// Only the tools of these names; names that no tool has are ignored.
    pub fn only<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Self {
        let only = Some(names.into_iter().map(Into::into).collect());
        Self { only, ..Self::default() }
    }

    /// The same without a tool.
    #[must_use]
    pub fn hide(mut self, name: impl Into<Arc<str>>) -> Self {
        self.hidden.insert(name.into());
        self
    }

    /// The same with another description of a tool.
    #[must_use]
    pub fn describe(mut self, name: impl Into<Arc<str>>, description: impl Into<Arc<str>>) -> Self {
        self.rewritten.entry(name.into()).or_default().description = Some(description.into());
        self
    }

    /// The same with another JSON Schema of a tool's arguments.
    ///
    /// Calls are validated against it in place of the tool's own.
    #[must_use]
    pub fn parameters(mut self, name: impl Into<Arc<str>>, schema: serde_json::Value) -> Self {
        self.rewritten.entry(name.into()).or_default().parameters = Some(schema);
        self
    }

    /// Whether a tool of this name would be shown.
    pub fn shows(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(name)) && !self.hidden.contains(name)
    }

    /// A tool as it is shown to the model; none if it is hidden.
    pub fn apply(&self, spec: &Arc<ToolSpec>) -> Option<Arc<ToolSpec>> {
        if !self.shows(&spec.name) {
            return None;
        }
        let Some(rewrite) = self.rewritten.get(&spec.name) else { return Some(Arc::clone(spec)) };
        let mut shown = ToolSpec::clone(spec);
        if let Some(description) = &rewrite.description {
            shown.description = Arc::clone(description);
        }
        if let Some(parameters) = &rewrite.parameters {
            shown.parameters = parameters.clone();
        }
        Some(Arc::new(shown))
    }
}
