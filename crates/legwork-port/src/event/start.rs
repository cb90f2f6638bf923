//! How a run begins or goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::{AgentId, AgentState, ModelSettings, Seq, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An execution that begins, or that goes on in another run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutionStart {
    /// The text of the task; empty if the execution goes on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// The execution: the number of the entry that began it.
    #[serde(default)]
    pub id: Seq,
    /// When it began.
    #[serde(default)]
    pub began: Timestamp,
    /// The agent; none if the journal does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// How the session asks a model, and which; hooks may change it for a request.
    #[serde(default)]
    pub settings: ModelSettings,
    /// The metadata of the conversation, which programs set.
    #[serde(default, skip_serializing_if = "no_metadata")]
    pub metadata: Arc<BTreeMap<String, Value>>,
    /// Whether it had ended, and goes on after all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reopened: bool,
}

fn no_metadata(metadata: &Arc<BTreeMap<String, Value>>) -> bool {
    metadata.is_empty()
}

impl ExecutionStart {
    /// The execution of a state, which goes on.
    pub fn of(state: &AgentState) -> Self {
        let execution = state.execution();
        Self {
            task: String::new(),
            id: execution.map_or(Seq::ZERO, |execution| execution.id),
            began: execution.map_or_else(Timestamp::default, |execution| execution.started_at),
            agent: state.facts().agent.clone(),
            settings: state.settings().clone(),
            metadata: Arc::clone(&state.context().metadata),
            reopened: execution.is_some_and(|execution| execution.status.is_terminal()),
        }
    }

    /// The same with a task.
    #[must_use]
    pub fn with_task(self, task: impl Into<String>) -> Self {
        Self { task: task.into(), ..self }
    }
}
