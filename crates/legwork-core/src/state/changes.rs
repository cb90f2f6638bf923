//! The changes between two states.

use std::sync::Arc;

use crate::event::Event;
use crate::state::AgentState;

/// A change between an older and a newer state.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Change<'a> {
    /// An event was recorded.
    Recorded(&'a Event),
    /// Recorded events were marked as committed, which only the runtime may do.
    Committed,
    /// The selection of tools to show.
    ToolSelection,
    /// The request about to be sent.
    Request,
    /// The compaction about to be made.
    Compaction,
    /// The current call, which hooks judge.
    ToolCall,
    /// The current tool execution, which hooks are shown.
    Execution,
    /// Which calls may run.
    Judged,
    /// The votes on going on.
    Votes,
    /// Whether the stop is prevented.
    StopPrevented,
    /// The provisional outcome.
    Outcome,
}

impl Change<'_> {
    /// The type of the event, or the name of the transient part.
    pub fn name(&self) -> &str {
        match self {
            Self::Recorded(event) => event.kind(),
            Self::Committed => "committed",
            Self::ToolSelection => "tool_selection",
            Self::Request => "current_request",
            Self::Compaction => "proposed_compaction",
            Self::ToolCall => "current_tool_call",
            Self::Execution => "current_tool_execution",
            Self::Judged => "judged",
            Self::Votes => "votes",
            Self::StopPrevented => "stop_prevented",
            Self::Outcome => "provisional_outcome",
        }
    }
}

impl AgentState {
    /// The changes since an older state that this one extends.
    pub fn changes_since<'a>(&'a self, older: &Self) -> Vec<Change<'a>> {
        if self.is_same(older) {
            return Vec::new();
        }
        let mut changes = Vec::new();
        if self.committed_version() != older.committed_version() {
            changes.push(Change::Committed);
        }
        let recorded = self.uncommitted().iter_from(older.uncommitted().len());
        changes.extend(recorded.map(|entry| Change::Recorded(&entry.event)));
        let (new, old) = (&self.0.transient, &older.0.transient);
        if Arc::ptr_eq(new, old) {
            return changes;
        }
        let parts = [
            (new.selection != old.selection, Change::ToolSelection),
            (!same(new.request.as_ref(), old.request.as_ref()), Change::Request),
            (new.compaction != old.compaction, Change::Compaction),
            (new.call != old.call, Change::ToolCall),
            (new.execution != old.execution, Change::Execution),
            (new.judged != old.judged, Change::Judged),
            (new.votes != old.votes, Change::Votes),
            (new.stop_prevented != old.stop_prevented, Change::StopPrevented),
            (new.outcome != old.outcome, Change::Outcome),
        ];
        changes.extend(parts.into_iter().filter(|(changed, _)| *changed).map(|(_, change)| change));
        changes
    }
}

/// Compares requests by address: a full comparison would read the whole conversation.
fn same<T>(new: Option<&Arc<T>>, old: Option<&Arc<T>>) -> bool {
    match (new, old) {
        (Some(new), Some(old)) => Arc::ptr_eq(new, old),
        (None, None) => true,
        _ => false,
    }
}
