//! Taking calls back: what a session did, as its journal has it, and what was undone of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::entry::Entry;
pub use crate::event::UndoOutcome;
use crate::event::{Event, ToolFinished, ToolStarted};
use crate::id::{EffectKey, Seq, SessionId};
use crate::journal::Journal;
use crate::message::ToolCall;
use crate::pending::{Pending, PendingReason};
use crate::time::Timestamp;
use crate::tool::{EffectClass, Metadata, ToolOutcome};

/// How far a call was taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UndoStatus {
    /// It was not, or that was refused.
    #[default]
    Not,
    /// It was about to be, and nobody knows whether it was.
    Begun,
    /// It was.
    Done,
}

/// A call that ran, as the journal of its session has it.
///
/// Calls that were never begun (blocked, denied, skipped) are none.
#[derive(Debug, Clone, PartialEq)]
pub struct PastCall {
    /// Its key.
    pub key: EffectKey,
    /// The call, with the arguments that it ran with.
    pub call: Arc<ToolCall>,
    /// The effect class that it ran under.
    pub effect: EffectClass,
    /// The session of the subagent that it ran, if it did.
    pub child: Option<SessionId>,
    /// When it ended; when it began if it has no outcome.
    pub at: Timestamp,
    /// Its outcome as its tool gave it; none if nobody knows whether it happened.
    pub outcome: Option<Arc<ToolOutcome>>,
    /// Whether it was in doubt: it may have begun before, in a run that died, and what it did then
    /// is not known.
    pub was_in_doubt: bool,
    /// What it left for people and programs.
    pub metadata: Metadata,
    /// How far it was taken back.
    pub undo: UndoStatus,
}

impl PastCall {
    /// The calls of a session that ran, of all its branches, in the order in which they ended.
    ///
    /// The heads of a session do not matter here: moving one takes no effect back.
    pub fn of_journal(session: &SessionId, journal: &Journal) -> Vec<Self> {
        let mut walk = Walk {
            session,
            copied: Seq::ZERO,
            response: None,
            open: BTreeMap::new(),
            ended: Vec::new(),
            taken_up: false,
        };
        journal.entries().iter().for_each(|entry| walk.take(entry));
        walk.end_open();
        let mut calls = walk.ended;
        mark_undone(&mut calls, journal);
        calls
    }

    /// Deserializes the arguments that it ran with.
    ///
    /// # Errors
    /// When they do not fit.
    pub fn arguments<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        self.call.parse().and_then(serde_json::from_value)
    }

    /// Whether it may have changed something.
    pub fn has_effect(&self) -> bool {
        self.effect != EffectClass::ReadOnly
    }
}

/// Marks the calls that a journal says were taken back, of whatever session they are.
pub fn mark_undone(calls: &mut [PastCall], journal: &Journal) {
    for entry in journal.entries() {
        let (key, status) = match &entry.event {
            Event::UndoStarted(started) => (&started.call, UndoStatus::Begun),
            Event::UndoFinished(finished) => match finished.outcome {
                UndoOutcome::Done(_) => (&finished.call, UndoStatus::Done),
                UndoOutcome::Refused(_) => (&finished.call, UndoStatus::Not),
            },
            _ => continue,
        };
        calls.iter_mut().filter(|call| call.key == *key).for_each(|call| call.undo = status);
    }
}

/// What was seen of a journal up to an entry.
struct Walk<'a> {
    session: &'a SessionId,
    /// The last entry that was copied from another session, whose calls are not of this one.
    copied: Seq,
    /// The last response, with its calls.
    response: Option<(Seq, Vec<Arc<ToolCall>>)>,
    /// The calls of it that began and have not ended.
    open: BTreeMap<u32, PastCall>,
    ended: Vec<PastCall>,
    /// Whether another run took up the step after the response.
    taken_up: bool,
}

impl Walk<'_> {
    fn take(&mut self, entry: &Entry) {
        let (seq, at) = (entry.seq, entry.at);
        match &entry.event {
            Event::SessionStarted(body) => {
                let copied = body.forked_from.as_ref().map_or(0, |from| from.copied);
                self.copied = Seq(copied.saturating_add(1));
            }
            _ if seq <= self.copied => {}
            Event::Responded(body) => {
                self.end_open();
                self.taken_up = false;
                let calls = body.response.message.tool_calls().cloned().collect();
                self.response = Some((seq, calls));
            }
            Event::ResponseChanged(body) => {
                if let Some((_, calls)) = &mut self.response {
                    *calls = body.response.message.tool_calls().cloned().collect();
                }
            }
            Event::Worked(body) => self.taken_up |= body.takes_up,
            Event::ToolStarted(body) => self.begin(at, body),
            Event::ToolFinished(body) => self.finish(at, body),
            Event::Paused(body) => self.doubt(&body.pending),
            _ => {}
        }
    }

    fn begin(&mut self, at: Timestamp, started: &ToolStarted) {
        let Some((entry, calls)) = &self.response else { return };
        let Some(call) = calls.get(started.index as usize) else { return };
        let call = match &started.arguments {
            None => Arc::clone(call),
            Some(arguments) => {
                Arc::new(ToolCall { arguments: Arc::clone(arguments), ..(**call).clone() })
            }
        };
        let key = EffectKey { session: self.session.clone(), entry: *entry, index: started.index };
        let before = self.open.get(&started.index);
        let was_in_doubt = before.is_some_and(|before| before.was_in_doubt);
        let began = PastCall {
            key,
            call,
            effect: started.effect,
            child: started.child.clone(),
            at,
            outcome: None,
            was_in_doubt,
            metadata: Metadata::default(),
            undo: UndoStatus::Not,
        };
        self.open.insert(started.index, began);
    }

    fn finish(&mut self, at: Timestamp, finished: &ToolFinished) {
        let Some(call) = self.open.remove(&finished.index) else { return };
        // Of one that was cut off nobody knows whether it happened.
        let known = !matches!(*finished.outcome, ToolOutcome::Interrupted);
        let outcome = known.then(|| Arc::clone(&finished.outcome));
        // A call that may be repeated is, unasked; its intent may have been lost with the run.
        let repeated = self.taken_up && call.effect.is_repeatable();
        let was_in_doubt = call.was_in_doubt || repeated;
        let metadata = finished.metadata.clone();
        self.ended.push(PastCall { at, outcome, was_in_doubt, metadata, ..call });
    }

    /// Marks the calls that wait because nobody knows whether they happened.
    fn doubt(&mut self, pending: &[Pending]) {
        for pending in pending.iter().filter(|one| one.reason == PendingReason::Doubt) {
            if let Some(call) = self.open.get_mut(&pending.index) {
                call.was_in_doubt = true;
            }
        }
    }

    /// The calls that no outcome is known of.
    fn end_open(&mut self) {
        self.ended.extend(std::mem::take(&mut self.open).into_values());
    }
}
