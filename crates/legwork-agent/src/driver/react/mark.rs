//! What a response turned out to be, noted in it: all that follows goes by the state.

use legwork_core::state::StepResult;
use legwork_core::{AgentState, Response};
use serde::{Deserialize, Serialize};

/// The field of [`Response::raw`] that holds the note.
const FIELD: &str = "react";

/// What a response turned out to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    pub(super) decision: Kind,
    /// The model's own text, where it was not exactly the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// What is wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<String>,
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// To use a tool.
    Action,
    /// To give this answer.
    Answer,
    /// To give an answer, which a plain one shall follow.
    Draft,
    /// Nothing: this is the plain answer.
    Plain,
    /// Nothing that could be read.
    Invalid,
}

impl Mark {
    pub(super) fn new(decision: Kind) -> Self {
        Self { decision, text: None, problem: None }
    }

    pub(super) fn of(response: &Response) -> Option<Self> {
        Self::deserialize(response.raw.get(FIELD)?).ok()
    }

    pub(super) fn put(&self, response: &mut Response) {
        // Text serialises; without its note a response is a plain answer.
        if let Ok(note) = serde_json::to_value(self) {
            response.raw.insert(FIELD.to_owned(), note);
        }
    }

    /// That of the step under way.
    pub(super) fn of_current(state: &AgentState) -> Option<Self> {
        Self::of(state.current_step()?.response.as_ref()?)
    }
}

/// Whether the last step that ended decided on an answer which a plain one shall follow.
pub(super) fn awaits_plain(state: &AgentState) -> bool {
    state.last_step_result().is_some_and(|result| is_draft(result))
}

/// Whether the two last steps did.
pub(super) fn awaits_plain_again(state: &AgentState) -> bool {
    let mut last = state.step_results().rev();
    last.next().is_some_and(|result| is_draft(result))
        && last.next().is_some_and(|result| is_draft(result))
}

fn is_draft(result: &StepResult) -> bool {
    let mark = result.step.response.as_ref().and_then(|response| Mark::of(response));
    mark.is_some_and(|mark| mark.decision == Kind::Draft)
}
