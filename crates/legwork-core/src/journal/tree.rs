//! The tree that the entries of a conversation form.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Journal;
use crate::entry::Entry;
use crate::event::{Event, Scope};
use crate::id::Seq;

/// A part of the tree in which each entry but the last has one child.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The index of the branch that it begins at the end of; none at the root.
    pub parent: Option<usize>,
    /// Its entries, oldest first; there is at least one.
    pub entries: Vec<Arc<Entry>>,
    /// The indexes of the branches that begin at its end, oldest first; one alone never does.
    pub children: Vec<usize>,
}

impl Journal {
    /// The branches of the conversation, each after its parent.
    ///
    /// Entries that are facts of the session alone are in none of them.
    pub fn branches(&self) -> Vec<Branch> {
        let mut tree = Tree::default();
        let places = self.places();
        for entry in self.entries.iter().filter(|entry| is_said(&entry.event)) {
            tree.add(Arc::clone(entry), places.get(&entry.parent).copied());
        }
        tree.ordered()
    }

    /// Where entries are in the conversation: itself, or the last one of the conversation that is
    /// before it on its path.
    ///
    /// An entry that has none of the conversation before it is left out.
    pub fn places(&self) -> BTreeMap<Seq, Seq> {
        let mut places = BTreeMap::new();
        for entry in &self.entries {
            let leads_to = match &entry.event {
                Event::HeadMoved(moved) => moved.to,
                _ => entry.parent,
            };
            let place = match is_said(&entry.event) {
                true => Some(entry.seq),
                false => places.get(&leads_to).copied(),
            };
            places.extend(place.map(|place| (entry.seq, place)));
        }
        places
    }

    /// The number of the last entry on the path to the head that is part of the conversation.
    pub fn tip(&self) -> Seq {
        let path = self.path(self.head());
        let last = path.iter().rev().find(|entry| is_said(&entry.event));
        last.map_or(Seq::ZERO, |entry| entry.seq)
    }
}

/// Whether an event is part of the conversation.
pub(super) fn is_said(event: &Event) -> bool {
    event.scope() != Scope::Session
}

#[derive(Default)]
struct Tree {
    branches: Vec<Branch>,
    /// Where each entry is: its branch, and its index there.
    places: BTreeMap<Seq, (usize, usize)>,
}

impl Tree {
    fn add(&mut self, entry: Arc<Entry>, after: Option<Seq>) {
        let place = after.and_then(|seq| self.places.get(&seq).copied());
        let Some((branch, index)) = place else { return self.begin(entry, None) };
        let Some(found) = self.branches.get_mut(branch) else { return };
        if index + 1 < found.entries.len() {
            self.split(branch, index);
            return self.begin(entry, Some(branch));
        }
        if found.children.is_empty() {
            self.places.insert(entry.seq, (branch, found.entries.len()));
            return found.entries.push(entry);
        }
        self.begin(entry, Some(branch));
    }

    fn begin(&mut self, entry: Arc<Entry>, parent: Option<usize>) {
        let new = self.branches.len();
        if let Some(parent) = parent.and_then(|parent| self.branches.get_mut(parent)) {
            parent.children.push(new);
        }
        self.places.insert(entry.seq, (new, 0));
        self.branches.push(Branch { parent, entries: vec![entry], children: Vec::new() });
    }

    /// Makes what follows an entry of a branch a branch of its own.
    fn split(&mut self, branch: usize, index: usize) {
        let new = self.branches.len();
        let Some(found) = self.branches.get_mut(branch) else { return };
        let entries = found.entries.split_off(index + 1);
        let children = std::mem::replace(&mut found.children, vec![new]);
        for (index, entry) in entries.iter().enumerate() {
            self.places.insert(entry.seq, (new, index));
        }
        for child in &children {
            if let Some(child) = self.branches.get_mut(*child) {
                child.parent = Some(new);
            }
        }
        self.branches.push(Branch { parent: Some(branch), entries, children });
    }

    /// The branches in the order of their first entries, which puts each after its parent.
    fn ordered(self) -> Vec<Branch> {
        let first = |branch: &Branch| branch.entries.first().map(|entry| entry.seq);
        let mut order: Vec<_> = (0..self.branches.len()).collect();
        order.sort_by_key(|index| self.branches.get(*index).and_then(first));
        let new: BTreeMap<_, _> = order.iter().zip(0..).map(|(old, new)| (*old, new)).collect();
        let moved = |old: usize| new.get(&old).copied().unwrap_or_default();
        let mut branches: Vec<_> = self.branches.into_iter().map(Some).collect();
        let take = |old: usize| branches.get_mut(old).and_then(Option::take);
        let branches = order.into_iter().filter_map(take).map(|branch| {
            let mut children: Vec<_> = branch.children.into_iter().map(moved).collect();
            children.sort_unstable();
            Branch { parent: branch.parent.map(moved), entries: branch.entries, children }
        });
        branches.collect()
    }
}
