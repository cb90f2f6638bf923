//! What came of a run.

use std::fmt;

use legwork_core::budget::Amounts;
use legwork_core::continuation::End;
use legwork_core::{AgentState, ContinuationOutcome, ExecutionStatus, SessionId};
use serde_json::Value;

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

    /// The output that was accepted; none if the agent wants none, or if there is none yet.
    pub fn output(&self) -> Option<&Value> {
        self.state.output().map(|output| &**output)
    }

    /// Where the execution stands.
    pub fn status(&self) -> ExecutionStatus {
        self.state.status().cloned().unwrap_or(ExecutionStatus::InProgress)
    }

    /// Why it stopped, explained; none while it waits for somebody.
    pub fn continuation(&self) -> Option<&ContinuationOutcome> {
        self.state.execution()?.outcome.as_deref()
    }

    /// What it used.
    pub fn used(&self) -> &Amounts {
        self.state.used()
    }

    /// What all runs of its session used.
    pub fn session_used(&self) -> &Amounts {
        self.state.session_used()
    }

    /// How it ended, or what it waits for.
    pub fn end(&self) -> End<'_> {
        self.state.end()
    }

    /// What it takes for its session to go on, as an instruction.
    pub fn next_action(&self) -> String {
        self.state.next_action().of(self.session()).to_string()
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

/// A run that did not complete: what it came to, and how to go on.
#[derive(Clone)]
pub struct Unfinished {
    pub(crate) run: Run,
    pub(crate) is_kept: bool,
}

impl Unfinished {
    /// The run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The run.
    pub fn into_run(self) -> Run {
        self.run
    }
}

impl std::error::Error for Unfinished {}

impl fmt::Debug for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Unfinished").field(&format_args!("{self}")).finish()
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = &self.run;
        write!(f, "session {}: {}. To go on, {}", run.session(), run.end(), run.next_action())?;
        match self.is_kept {
            true => Ok(()),
            false => write!(f, " with `on_state(..)`: the agent has no store"),
        }
    }
}

/// Whether there is more to do.
#[derive(Debug)]
pub(crate) enum Advance {
    /// A step ended or something was taken up: go on.
    More(AgentState),
    /// The execution is over, or waits for somebody.
    Rest(AgentState),
}
