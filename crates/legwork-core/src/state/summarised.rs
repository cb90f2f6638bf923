//! The summary of a state, computed on demand and cached.

use std::sync::{Arc, OnceLock};

use super::{AgentState, ExecutionStatus, Inner, SessionFacts};
use crate::event::Event;
use crate::summary::Summary;

/// The cached summary; empty if an event may have changed it.
#[derive(Debug, Clone, Default)]
pub(super) struct Summarised(OnceLock<Arc<Summary>>);

impl AgentState {
    /// The summary of the session, for lists.
    ///
    /// It is computed again only after an event that may change it, so usually the same `Arc`
    /// is returned.
    pub fn summary(&self) -> &Arc<Summary> {
        let inner = &*self.0;
        let status = inner.execution.as_ref().map(|execution| &execution.status);
        inner.summary.0.get_or_init(|| Arc::new(summary(&inner.facts, status)))
    }
}

impl Inner {
    /// Clears the cached summary if the event may have changed it.
    pub(super) fn resummarise(&mut self, event: &Event) {
        let Some(summary) = self.summary.0.get() else { return };
        let named = matches!(
            event,
            Event::SessionStarted(_) | Event::ExecutionStarted(_) | Event::Labelled(_)
        );
        let status = self.execution.as_ref().map(|execution| &execution.status);
        if named || summary.status.as_ref() != status {
            self.summary = Summarised::default();
        }
    }
}

fn summary(facts: &SessionFacts, status: Option<&ExecutionStatus>) -> Summary {
    Summary {
        agent: facts.agent.clone(),
        parent: facts.parent.as_ref().map(|link| link.session.clone()),
        status: status.cloned(),
        title: facts.title.as_deref().unwrap_or_default().to_owned(),
        labels: facts.labels.values().cloned().collect(),
        steps: facts.ledger.lifetime.steps,
    }
}
