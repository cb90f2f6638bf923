//! An observer that keeps all events.

use std::sync::Arc;

use legwork_core::Entry;
use legwork_port::{EventKind, Observer, RunEvent};

use crate::watched::Watched;

/// Keeps all events; clones keep the same ones.
#[derive(Debug, Clone, Default)]
pub struct RecordingObserver(Arc<Watched<Vec<RunEvent>>>);

impl RecordingObserver {
    /// Makes an observer without events.
    pub fn new() -> Self {
        Self::default()
    }

    /// All events, oldest first.
    pub fn events(&self) -> Vec<RunEvent> {
        self.0.peek(Clone::clone)
    }

    /// The kinds of all events, oldest first.
    pub fn kinds(&self) -> Vec<EventKind> {
        self.0.peek(|all| all.iter().map(|event| event.kind.clone()).collect())
    }

    /// The committed entries, oldest first.
    pub fn entries(&self) -> Vec<Arc<Entry>> {
        let entries = |event: &RunEvent| match &event.kind {
            EventKind::Committed(committed) => committed.entries.clone(),
            _ => Vec::new(),
        };
        self.0.peek(|all| all.iter().flat_map(entries).collect())
    }

    /// What happened in one word each, `tool_started`, and `committed responded` for each
    /// entry that was committed.
    pub fn names(&self) -> Vec<String> {
        self.0.peek(|all| all.iter().flat_map(|event| names(&event.kind)).collect())
    }

    /// The text of all text deltas, joined.
    pub fn text(&self) -> String {
        let piece = |kind| if let EventKind::TextDelta { text } = kind { Some(text) } else { None };
        self.kinds().into_iter().filter_map(piece).collect()
    }

    /// Waits until an entry of a kind, such as `tool_finished`, is committed.
    pub async fn until_committed(&self, kind: &str) {
        let is_kind = |entry: &Arc<Entry>| entry.event.kind() == kind;
        self.until(|event| match &event.kind {
            EventKind::Committed(committed) => committed.entries.iter().any(is_kind),
            _ => false,
        })
        .await;
    }

    /// Waits until there is an event that is wanted, and returns the first of it.
    pub async fn until(&self, wanted: impl Fn(&RunEvent) -> bool) -> RunEvent {
        self.0.until(|all| all.iter().find(|event| wanted(event)).cloned()).await
    }
}

fn names(kind: &EventKind) -> Vec<String> {
    match kind {
        EventKind::Committed(committed) => {
            let name = |entry: &Arc<Entry>| format!("committed {}", entry.event.kind());
            committed.entries.iter().map(name).collect()
        }
        kind => vec![kind.name().to_owned()],
    }
}

impl Observer for RecordingObserver {
    fn observe(&self, event: &RunEvent) {
        self.0.change(|all| all.push(event.clone()));
    }
}
