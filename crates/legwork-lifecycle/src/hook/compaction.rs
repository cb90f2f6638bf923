//! Before a summary takes the place of the beginning of the conversation.

use std::sync::Arc;

use legwork_core::state::ProposedCompaction;

use super::point::{constructor, point, stops};

point! {
    /// A compaction that is about to be made.
    Compaction, BeforeCompaction, |state| state.proposed_compaction().is_some()
}
stops!(Compaction);

impl Compaction {
    /// What is proposed; none once it was cancelled.
    pub fn proposed(&self) -> Option<&ProposedCompaction> {
        self.state.proposed_compaction().map(|proposed| &**proposed)
    }

    /// The same, not to be made: the request is sent with the whole conversation.
    #[must_use]
    pub fn cancel(self) -> Self {
        Self { state: self.state.with_proposed_compaction(None), ..self }
    }

    /// The same with this summary; no model is asked for one.
    #[must_use]
    pub fn with_summary(self, summary: impl Into<String>) -> Self {
        self.changed(|proposed| proposed.summary = Some(summary.into()))
    }

    /// The same with words about what the summary shall heed.
    #[must_use]
    pub fn with_focus(self, focus: impl Into<String>) -> Self {
        self.changed(|proposed| proposed.focus = Some(focus.into()))
    }

    fn changed(self, change: impl FnOnce(&mut ProposedCompaction)) -> Self {
        let Some(proposed) = self.state.proposed_compaction() else { return self };
        let mut proposed = (**proposed).clone();
        change(&mut proposed);
        Self { state: self.state.with_proposed_compaction(Some(Arc::new(proposed))), ..self }
    }
}

constructor! {
    /// A hook that runs before a summary takes the place of the beginning of the conversation.
    before_compaction, Compaction
}
