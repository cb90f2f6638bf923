//! What came of a run.

use legwork_core::budget::Amounts;
use legwork_core::{AgentState, ContinuationOutcome, ExecutionStatus, SessionId};

/// What came of a run.
#[derive(Debug, Clone)]
pub struct Run {
    state: AgentState,
}

impl From<AgentState> for Run {
    fn from(state: AgentState) -> Self {
        Self { state }
    }
}

impl Run {
    /// The text of the last answer; empty if there is none.
    pub fn text(&self) -> String {
        self.state.final_response().map_or_else(String::new, |response| response.text())
    }

    /// Where the execution stands.
    pub fn status(&self) -> ExecutionStatus {
        self.state.status().cloned().unwrap_or(ExecutionStatus::InProgress)
    }

    /// Why it stopped, explained; none while it waits for somebody.
    pub fn outcome(&self) -> Option<&ContinuationOutcome> {
        self.state.execution()?.outcome.as_deref()
    }

    /// What it used.
    pub fn usage(&self) -> &Amounts {
        self.state.usage()
    }

    /// Its session.
    pub fn session(&self) -> &SessionId {
        self.state.session()
    }

    /// The state that it ended with.
    pub fn state(&self) -> &AgentState {
        &self.state
    }

    /// The state that it ended with.
    pub fn into_state(self) -> AgentState {
        self.state
    }
}
