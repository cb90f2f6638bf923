//! The summary of a state, computed on demand and cached.

use std::sync::{Arc, OnceLock};

use super::{AgentState, ExecutionStatus, Inner, Owed};
use crate::event::Event;
use crate::summary::Summary;
use crate::time::Timestamp;

/// The cached summary; empty if an event may have changed it.
#[derive(Debug, Clone, Default)]
pub(super) struct Summarised(OnceLock<Arc<Summary>>);

impl AgentState {
    /// The summary of the session, for lists.
    ///
    /// It is computed again only after an event that may change it, so usually the same `Arc`
    /// is returned.
    pub fn summary(&self) -> &Arc<Summary> {
        self.0.summary.0.get_or_init(|| Arc::new(summary(self)))
    }

    /// When the session has work to do by itself; see [`Summary::due_at`].
    pub fn due_at(&self) -> Option<Timestamp> {
        let facts = self.facts();
        if facts.suspended.is_some() || facts.moved {
            return None;
        }
        let running = self.execution().filter(|execution| !execution.status.is_terminal());
        let Some(execution) = running else {
            let queued = !facts.follow_ups.is_empty() || self.context().steered;
            return facts.started_at.filter(|_| queued && facts.parent.is_none());
        };
        let waits = execution.status.is_waiting() && execution.signals.is_empty();
        if waits && !self.asks_model() && self.owed() == Owed::Pause {
            return self.next_time();
        }
        Some(execution.started_at)
    }
}

impl Inner {
    /// Clears the cached summary if the event may have changed it.
    pub(super) fn resummarise(&mut self, event: &Event) {
        let Some(summary) = self.summary.0.get() else { return };
        let named = matches!(
            event,
            Event::SessionStarted(_)
                | Event::ExecutionStarted(_)
                | Event::Labelled(_)
                | Event::InboxTaken(_)
                | Event::Titled(_)
                | Event::Suspended(_)
                | Event::Resumed(_)
        );
        // While an execution is in progress and due, no other event changes the summary.
        let is_in_progress = |status| status == Some(&ExecutionStatus::InProgress);
        let status = self.execution.as_ref().map(|execution| &execution.status);
        let kept = is_in_progress(status) && is_in_progress(summary.status.as_ref());
        if named || !kept || summary.due_at.is_none() {
            self.summary = Summarised::default();
        }
    }
}

fn summary(state: &AgentState) -> Summary {
    let facts = state.facts();
    let title = facts.given_title.as_ref().or(facts.title.as_ref());
    Summary {
        agent: facts.agent.clone(),
        parent: facts.parent.as_ref().map(|link| link.session.clone()),
        status: state.status().cloned(),
        title: title.map_or_else(String::new, |title| title.to_string()),
        labels: facts.labels.values().cloned().collect(),
        steps: facts.ledger.lifetime.steps,
        taken: facts.inbox_cursor,
        due_at: state.due_at(),
    }
}
