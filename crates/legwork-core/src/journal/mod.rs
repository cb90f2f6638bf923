//! A loaded journal: the entries of a session, and the tree that they form.

mod charges;
mod check;
mod fork;
mod tree;

use std::sync::Arc;

pub use check::{Problem, check};
pub use tree::Branch;

use crate::entry::Entry;
use crate::event::Event;
use crate::id::{Seq, SessionId};
use crate::state::{AgentState, SessionFacts};

/// The entries that begin the steps of a path, oldest first.
pub fn steps(path: &[Arc<Entry>]) -> Vec<Seq> {
    let (mut steps, mut under_way) = (Vec::new(), false);
    for entry in path {
        match &entry.event {
            Event::InferenceStarted(_) if !under_way => {
                under_way = true;
                steps.push(entry.seq);
            }
            Event::StepFinished(_) | Event::ExecutionStarted(_) => under_way = false,
            _ => {}
        }
    }
    steps
}

/// The entries of one session, in the order of their numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Journal {
    entries: Vec<Arc<Entry>>,
}

impl Journal {
    /// A journal of these entries, which are sorted by number.
    pub fn new(mut entries: Vec<Arc<Entry>>) -> Self {
        entries.sort_by_key(|entry| entry.seq);
        Self { entries }
    }

    /// All entries, in the order of their numbers.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// The entry of a number.
    pub fn get(&self, seq: Seq) -> Option<&Arc<Entry>> {
        // In a complete journal the index of entry n is n - 1.
        let dense = usize::try_from(seq.0).ok()?.checked_sub(1)?;
        if let Some(entry) = self.entries.get(dense).filter(|entry| entry.seq == seq) {
            return Some(entry);
        }
        let index = self.entries.binary_search_by_key(&seq, |entry| entry.seq).ok()?;
        self.entries.get(index)
    }

    /// The number of the last entry; 0 if there are none.
    pub fn version(&self) -> Seq {
        self.entries.last().map_or(Seq::ZERO, |entry| entry.seq)
    }

    /// The head: the entry at which the session stands.
    pub fn head(&self) -> Seq {
        self.entries.last().map_or(Seq::ZERO, |entry| match &entry.event {
            Event::HeadMoved(moved) => moved.to,
            _ => entry.seq,
        })
    }

    /// The path from the root to an entry; it begins later if a parent is missing.
    ///
    /// An entry that moved the head is on no path: it leads to the entry that it moved it to.
    pub fn path(&self, head: Seq) -> Vec<Arc<Entry>> {
        let mut path = Vec::with_capacity(self.entries.len());
        let mut at = head;
        while let Some(entry) = self.get(at) {
            let next = match &entry.event {
                Event::HeadMoved(moved) => moved.to,
                _ => {
                    path.push(Arc::clone(entry));
                    entry.parent
                }
            };
            // What leads on is always older; otherwise the journal is damaged.
            if next >= at {
                break;
            }
            at = next;
        }
        path.reverse();
        path
    }

    /// The entries whose parent is this one.
    pub fn children(&self, seq: Seq) -> impl Iterator<Item = &Arc<Entry>> {
        self.entries.iter().filter(move |entry| entry.parent == seq)
    }

    /// The journal as it was before the entry of a number.
    #[must_use]
    pub fn before(&self, seq: Seq) -> Self {
        let entries = self.entries.iter().take_while(|entry| entry.seq < seq);
        Self { entries: entries.cloned().collect() }
    }

    /// Folds the journal to a state.
    ///
    /// It has the facts of all entries, and the conversation on the path to the head.
    pub fn fold(&self, session: &SessionId) -> AgentState {
        let facts = SessionFacts::of(session, self.entries.iter());
        AgentState::fold(facts, self.path(self.head()))
    }
}
