//! The events for what was committed.

use std::sync::Arc;

use legwork_core::{AgentState, Entry, Event};

use super::{EventKind, ExecutionStart};

impl EventKind {
    /// The event for a committed entry, if its type has one.
    ///
    /// `state` is the state after the commit.
    pub fn of_entry(entry: &Entry, state: &AgentState) -> Option<Self> {
        Some(match &entry.event {
            Event::ExecutionStarted(started) => {
                let texts = started.input.iter().map(|message| message.text());
                let start =
                    ExecutionStart::of(state).with_task(texts.collect::<Vec<_>>().join("\n"));
                Self::ExecutionStarted(Box::new(start))
            }
            Event::OutputAccepted(accepted) => {
                Self::OutputAccepted { value: Arc::clone(&accepted.value) }
            }
            Event::OutputRejected(rejected) => Self::OutputRejected {
                stage: rejected.stage.clone(),
                problem: rejected.problem.clone(),
            },
            Event::Answered(answered) => Self::Answered { answer: answered.answer.clone() },
            Event::StepFinished(finished) => Self::StepFinished {
                continues: finished.outcome.should_continue(),
                stop_reason: finished.outcome.stop_reason().cloned(),
                explain: finished.outcome.explain(),
                took: finished.took,
                used: state.used_by_step(entry.seq).copied().unwrap_or_default(),
            },
            Event::InferenceFailed(failed) => {
                Self::Error { error: failed.error.clone(), hint: None }
            }
            Event::Failed(error) => Self::Error { error: error.clone(), hint: None },
            _ => return None,
        })
    }
}
