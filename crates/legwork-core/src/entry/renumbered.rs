//! Entries under other numbers, in another session.

use std::sync::Arc;

use serde_json::Value;

use crate::entry::Entry;
use crate::event::{Event, ResultKey};
use crate::id::{EffectKey, Seq, SessionId};
use crate::inbox::Answer;
use crate::metadata::PINNED;
use crate::pending::Pending;

/// How the entries of a session are numbered in another one.
///
/// Forks and imports use it: everything in an entry that refers to an entry or to its session is
/// rewritten, and nothing else.
#[derive(Debug, Clone, Copy)]
pub struct Renumbering<'a, F> {
    /// The session that the entries are of.
    pub from: &'a SessionId,
    /// The session that they are written to.
    pub to: &'a SessionId,
    /// The new number of an entry.
    pub number: F,
}

impl<F: Fn(Seq) -> Seq> Renumbering<'_, F> {
    /// The session, if it is the one that the entries are of or a subagent's below that.
    fn session(&self, session: &SessionId) -> SessionId {
        let below = |rest: &str| rest.is_empty() || rest.starts_with('.');
        match session.as_str().strip_prefix(self.from.as_str()) {
            Some(rest) if below(rest) => SessionId::new(format!("{}{rest}", self.to)),
            _ => session.clone(),
        }
    }

    fn key(&self, key: &EffectKey) -> EffectKey {
        let entry = match key.session == *self.from {
            true => (self.number)(key.entry),
            false => key.entry,
        };
        EffectKey { session: self.session(&key.session), entry, index: key.index }
    }

    /// The key of an effect as text; a text that is none stays as it is.
    fn id(&self, id: &str) -> String {
        id.parse().map_or_else(|_| id.to_owned(), |key| self.key(&key).to_string())
    }

    fn pending(&self, pending: &Pending) -> Pending {
        Pending { id: self.id(&pending.id), ..pending.clone() }
    }

    fn answer(&self, answer: &Answer) -> Answer {
        Answer { id: self.id(&answer.id), ..answer.clone() }
    }

    fn result(&self, key: ResultKey) -> ResultKey {
        ResultKey { entry: (self.number)(key.entry), ..key }
    }

    fn event(&self, event: &Event) -> Event {
        let mut event = event.clone();
        match &mut event {
            Event::SessionStarted(started) => {
                started.session = self.session(&started.session);
                if let Some(parent) = &mut started.parent {
                    parent.session = self.session(&parent.session);
                }
            }
            Event::ToolStarted(started) => {
                started.child = started.child.as_ref().map(|child| self.session(child));
            }
            Event::Paused(paused) => {
                paused.pending = paused.pending.iter().map(|one| self.pending(one)).collect();
            }
            Event::Answered(answered) => answered.answer = self.answer(&answered.answer),
            Event::HeadMoved(moved) => moved.to = (self.number)(moved.to),
            Event::Labelled(label) => label.entry = (self.number)(label.entry),
            Event::Compacted(compacted) => {
                let compacted = Arc::make_mut(compacted);
                compacted.first_kept = (self.number)(compacted.first_kept);
                compacted.also_kept.iter_mut().for_each(|entry| *entry = (self.number)(*entry));
            }
            Event::MetadataSet(set) if set.key == PINNED => {
                for entry in set.value.iter_mut().filter_map(Value::as_array_mut).flatten() {
                    if let Some(pinned) = entry.as_u64() {
                        *entry = (self.number)(Seq(pinned)).0.into();
                    }
                }
            }
            Event::BranchSummarised(branch) => branch.from = (self.number)(branch.from),
            Event::ResultSummarised(summarised) => {
                let summarised = Arc::make_mut(summarised);
                summarised.result = self.result(summarised.result);
            }
            Event::ResultCompared(compared) => {
                compared.result = self.result(compared.result);
                compared.repeats = compared.repeats.map(|repeats| self.result(repeats));
            }
            Event::UndoStarted(started) => started.call = self.key(&started.call),
            Event::UndoFinished(finished) => finished.call = self.key(&finished.call),
            _ => {}
        }
        event
    }
}

impl Entry {
    /// The entry in another session, under another number.
    ///
    /// The digests of calls that wait stay: they are those that were approved.
    #[must_use]
    pub fn renumbered<F: Fn(Seq) -> Seq>(&self, numbering: &Renumbering<'_, F>) -> Arc<Self> {
        let number = &numbering.number;
        let (seq, parent) = (number(self.seq), number(self.parent));
        Arc::new(Self { seq, parent, at: self.at, event: numbering.event(&self.event) })
    }
}
