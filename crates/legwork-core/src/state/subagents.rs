//! Calls that run subagents: how their sessions are linked, and what waits for them.

use crate::event::{Event, ParentLink, Paused};
use crate::id::{CallId, Seq};
use crate::pending::{Pending, PendingReason};
use crate::state::AgentState;

impl AgentState {
    /// The link to a call of this session, as the session of its subagent records it.
    pub fn link_to(&self, call: &CallId) -> ParentLink {
        let began = self.facts().started_at.unwrap_or_default();
        ParentLink { session: self.session().clone(), call: call.clone(), began }
    }

    /// Whether this is the session that a link leads to, or one that has not begun.
    pub fn is_linked_by(&self, link: &ParentLink) -> bool {
        self.version() == Seq::ZERO || self.facts().parent.as_deref() == Some(link)
    }

    /// The subagent of a call waits for an answer: so does this session.
    #[must_use]
    pub fn with_waiting_subagent(self, index: u32) -> Self {
        let waits = self.as_pending(index, PendingReason::Subagent);
        self.with_pending(waits)
    }

    /// No subagent is waited for any more: a run looks at each of them again.
    #[must_use]
    pub fn without_waiting_subagents(self) -> Self {
        let waits = |pending: &Pending| pending.reason == PendingReason::Subagent;
        if !self.pending().iter().any(waits) {
            return self;
        }
        let pending = self.pending().iter().filter(|pending| !waits(pending)).cloned().collect();
        self.with(Event::Paused(Paused { pending, ..Paused::default() }))
    }
}
