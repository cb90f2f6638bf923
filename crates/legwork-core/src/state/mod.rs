//! The state of a session: immutable, changed by events only.
//!
//! It has three layers: the session ([`SessionFacts`] and [`Context`]), the execution
//! ([`ExecutionState`]) and the step ([`AgentStep`]). [`AgentState::apply`] folds an entry,
//! [`AgentState::owed`] says what is to be done next, [`AgentState::decide`] validates input.

mod access;
pub(crate) mod active_time;
mod admissible;
mod apply;
mod call_limit;
mod calls;
mod changes;
mod compaction;
mod decide;
mod decide_item;
mod defined;
mod execution;
mod facts;
mod lapsed;
pub(crate) mod lineage;
mod owed;
mod retries;
mod slim;
mod step;
mod subagents;
mod summarised;
mod tokens;
mod transient;
mod transitions;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use active_time::BEAT;
pub use calls::{CallSlot, CallStatus, Calls};
pub use changes::Change;
pub use compaction::{Compaction, ProposedCompaction};
pub use decide::{Input, Refusal};
pub use execution::ExecutionState;
pub use facts::{Context, SessionFacts, ShownTools};
pub use lapsed::Lapsed;
pub use lineage::Mark;
pub use owed::Owed;
pub use step::{AgentStep, StepKind, StepResult};
pub use tokens::{Measured, Tokens};
pub use transient::{CallVerdict, CurrentToolCall, CurrentToolExecution, Judged, Seal};

pub use crate::pending::{Pending, PendingReason, Waits};
pub use crate::status::ExecutionStatus;

use crate::chunked::Chunked;
use crate::entry::Entry;
use crate::event::Event;
use crate::id::{Seq, SessionId};
use crate::mask::Mask;
use crate::time::{Micros, Stamp};
use lineage::Lineage;
use summarised::Summarised;
use transient::Transient;

/// The state of a session: one pointer, cheap to clone, changed by events only.
///
/// A change is `state.with(event)` or one of the named transitions; each returns a new
/// value and leaves the old one as it was.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentState(Arc<Inner>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Inner {
    facts: SessionFacts,
    context: Context,
    execution: Option<Arc<ExecutionState>>,
    uncommitted: Chunked<Arc<Entry>>,
    #[serde(skip)]
    stamp: Stamp,
    #[serde(skip)]
    transient: Arc<Transient>,
    #[serde(skip)]
    lineage: Lineage,
    #[serde(skip)]
    mask: Mask,
    #[serde(skip)]
    summary: Summarised,
}

/// States are equal if what they record is equal; transient data is ignored.
impl PartialEq for AgentState {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        a.facts == b.facts && a.context == b.context && a.execution == b.execution
    }
}

/// The next entry of a state, which is not applied to it yet.
#[derive(Debug, Clone)]
pub struct NextEntry(Arc<Entry>);

impl NextEntry {
    /// The entry, as it is appended.
    pub fn entry(&self) -> &Arc<Entry> {
        &self.0
    }
}

impl AgentState {
    /// A session before its first entry.
    pub fn new(session: SessionId) -> Self {
        Self::fold(SessionFacts::new(session), Vec::new())
    }

    /// The state of a session with these facts, and the conversation of a path.
    ///
    /// Loading, branching and resuming all use it.
    pub fn fold(facts: SessionFacts, path: impl IntoIterator<Item = Arc<Entry>>) -> Self {
        let mut inner = Inner {
            facts,
            context: Context::default(),
            execution: None,
            uncommitted: Chunked::default(),
            stamp: Stamp::default(),
            transient: Arc::default(),
            lineage: Lineage::default(),
            mask: Mask::default(),
            summary: Summarised::default(),
        };
        for entry in path {
            inner.apply_to_conversation(&entry);
        }
        Self(Arc::new(inner))
    }

    /// Applies an entry of the journal. It never fails.
    #[must_use]
    pub fn apply(mut self, entry: &Entry) -> Self {
        let inner = self.change();
        inner.facts.apply(entry);
        inner.apply_to_conversation(entry);
        inner.resummarise(&entry.event);
        self
    }

    /// Makes an entry of an event, applies it, and adds it to the uncommitted entries.
    #[must_use]
    pub fn with(self, event: Event) -> Self {
        let entry = self.next_entry(event);
        self.with_next(entry)
    }

    /// The entry that an event is recorded as, for [`AgentState::with_next`].
    ///
    /// So the entry can be made durable before it is applied, and a state that it would change
    /// needs no copy while it may be refused.
    pub fn next_entry(&self, event: Event) -> NextEntry {
        let inner = &*self.0;
        let mut entry = Arc::new(Entry {
            seq: inner.facts.version.next(),
            parent: inner.facts.head,
            at: inner.stamp.wall,
            event,
        });
        // In place, because an event is large and there is rarely anything to mask.
        if let (false, Some(entry)) = (inner.mask.is_none(), Arc::get_mut(&mut entry)) {
            entry.event.mask(&inner.mask);
        }
        NextEntry(entry)
    }

    /// Applies the entry that [`AgentState::next_entry`] made of this state, and adds it to the
    /// uncommitted entries; one that was made of another version changes nothing.
    #[must_use]
    pub fn with_next(mut self, NextEntry(entry): NextEntry) -> Self {
        let facts = &self.0.facts;
        if (entry.seq, entry.parent) != (facts.version.next(), facts.head) {
            return self;
        }
        let inner = self.change();
        inner.facts.apply(&entry);
        inner.apply_to_conversation(&entry);
        inner.resummarise(&entry.event);
        inner.uncommitted.push(entry);
        self
    }

    /// The same with a mask, which is applied to each later event before it is recorded.
    ///
    /// The mask itself is neither recorded nor serialized.
    #[must_use]
    pub fn masked_by(mut self, mask: &Mask) -> Self {
        if !mask.is_none() {
            let inner = Arc::make_mut(&mut self.0);
            inner.mask = inner.mask.and(mask);
        }
        self
    }

    /// The same with the current time.
    #[must_use]
    pub fn at(mut self, stamp: Stamp) -> Self {
        if self.0.stamp != stamp {
            Arc::make_mut(&mut self.0).stamp = stamp;
        }
        self
    }

    /// The same, resumed at the current time: active time of the step counts from now on.
    #[must_use]
    pub fn resumed(mut self) -> Self {
        let inner = Arc::make_mut(&mut self.0);
        Arc::make_mut(&mut inner.transient).segment = inner.stamp.mono;
        self
    }

    /// The same after idle time, which does not count as active time of the step.
    #[must_use]
    pub fn idled(mut self, time: Micros) -> Self {
        if time > Micros::ZERO {
            let transient = &mut Arc::make_mut(&mut self.0).transient;
            let segment = &mut Arc::make_mut(transient).segment;
            *segment = segment.plus(time);
        }
        self
    }

    /// The entries that the next commit appends.
    pub fn uncommitted(&self) -> &Chunked<Arc<Entry>> {
        &self.0.uncommitted
    }

    /// The same with all entries marked as committed.
    #[must_use]
    pub fn committed(mut self) -> Self {
        if !self.0.uncommitted.is_empty() {
            Arc::make_mut(&mut self.0).uncommitted.clear();
        }
        self
    }

    /// A mark of this state, for [`AgentState::extends`].
    pub fn mark(&self) -> Mark {
        self.0.lineage.mark()
    }

    /// Whether this state is the marked one, or was made from it by changes.
    pub fn extends(&self, mark: &Mark) -> bool {
        self.0.lineage.extends(mark)
    }

    /// The same without its lineage: earlier marks no longer match.
    #[must_use]
    pub fn rooted(mut self) -> Self {
        Arc::make_mut(&mut self.0).lineage.root();
        self
    }

    /// Whether both are the same value in memory.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The same session with the conversation of another path, after the head was moved.
    #[must_use]
    pub fn on_path(self, path: impl IntoIterator<Item = Arc<Entry>>) -> Self {
        let folded = Self::fold(self.0.facts.clone(), path);
        let mut moved = self;
        let Inner { context, execution, transient, .. } = (*folded.0).clone();
        let inner = Arc::make_mut(&mut moved.0);
        // Another path is not a change of this one: earlier marks no longer match.
        inner.lineage = Lineage::default();
        inner.context = context;
        inner.execution = execution;
        inner.summary = Summarised::default();
        // What its entries say of a pause; all else that is not journaled is void.
        Arc::make_mut(&mut inner.transient).passed = transient.passed;
        moved
    }

    /// Mutable access for a change, which is recorded in the lineage.
    fn change(&mut self) -> &mut Inner {
        let inner = Arc::make_mut(&mut self.0);
        inner.lineage.advance();
        inner
    }

    fn change_transient(&mut self) -> &mut Transient {
        Arc::make_mut(&mut self.change().transient)
    }

    /// The number of the last entry, committed or not.
    pub fn version(&self) -> Seq {
        self.0.facts.version
    }

    /// The number of the last committed entry, which the next append expects.
    pub fn committed_version(&self) -> Seq {
        Seq(self.version().0.saturating_sub(self.0.uncommitted.len() as u64))
    }
}
