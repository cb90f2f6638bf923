//! How a run ended.

use std::sync::Arc;

use legwork_core::budget::{Amounts, Exhausted};
use legwork_core::continuation::NextAction;
use legwork_core::inference::FinishReason;
use legwork_core::state::Pending;
use legwork_core::{AgentState, ExecutionStatus, StopReason, StopSignal};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::EventKind;

/// The end of a run: the execution's status, and how to go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExecutionEnd {
    /// The status of the execution.
    pub status: ExecutionStatus,
    /// Why it stopped; none while it has not.
    pub stop_reason: Option<StopReason>,
    /// The decision to stop, as a sentence; none while it has not stopped.
    pub explain: Option<String>,
    /// The deciding request to stop, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<StopSignal>,
    /// The text of the final response; empty if there is none.
    pub text: String,
    /// The output that was accepted; none if the agent wants none, or if there is none.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "legwork_core::present::present"
    )]
    pub output: Option<Arc<Value>>,
    /// Why the model ended the final response; none if there is none.
    pub finish: Option<FinishReason>,
    /// What the execution used.
    pub used: Amounts,
    /// What all executions of the session used.
    #[serde(default, skip_serializing_if = "Amounts::is_zero")]
    pub session_used: Amounts,
    /// The calls that wait for an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<Pending>,
    /// How to go on; none if the execution completed.
    pub next: Option<Next>,
}

/// How to go on with a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Next {
    /// What to do.
    pub action: Action,
    /// The limit to raise, if the action is to raise one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Exhausted>,
    /// The action as an instruction of the program that runs the agent, such as a command.
    pub how: String,
}

/// What to do to go on with a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Action {
    /// Give it a new task.
    Task,
    /// Resume it.
    Resume,
    /// Raise the limit that stopped it, then resume it.
    Raise,
    /// Answer the pending calls, then resume it.
    Answer,
}

impl Next {
    fn of(state: &AgentState) -> Self {
        let next = state.next_action();
        let (action, limit) = match next {
            NextAction::Resume => (Action::Resume, None),
            NextAction::Raise(limit) => (Action::Raise, Some(limit.clone())),
            NextAction::Answer(_) => (Action::Answer, None),
            _ => (Action::Task, None),
        };
        Self { action, limit, how: next.of(state.session()).to_string() }
    }
}

impl ExecutionEnd {
    /// The end of the run that left this state.
    pub fn of(state: &AgentState) -> Self {
        let status = state.status().cloned().unwrap_or(ExecutionStatus::InProgress);
        let execution = state.execution().filter(|_| status.is_terminal());
        let outcome = execution.and_then(|execution| execution.outcome.as_deref());
        let response = state.final_response();
        let next = (status != ExecutionStatus::Completed).then(|| Next::of(state));
        Self {
            stop_reason: outcome.and_then(|outcome| outcome.stop_reason().cloned()),
            explain: outcome.map(|outcome| outcome.explain()),
            signal: outcome.and_then(|outcome| outcome.signal.clone()),
            text: response.map_or_else(String::new, |response| response.text()),
            output: state.output().cloned(),
            finish: response.map(|response| response.finish.clone()),
            used: *state.used(),
            session_used: *state.session_used(),
            pending: state.pending().to_vec(),
            next,
            status,
        }
    }
}

impl From<ExecutionEnd> for EventKind {
    fn from(end: ExecutionEnd) -> Self {
        let (ended, waits) = (end.status.is_terminal(), end.status.is_waiting());
        let end = Box::new(end);
        match (ended, waits) {
            (true, _) => Self::ExecutionFinished(end),
            (_, true) => Self::ExecutionPaused(end),
            _ => Self::ExecutionInterrupted(end),
        }
    }
}
