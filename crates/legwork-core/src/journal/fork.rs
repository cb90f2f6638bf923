//! A new session that goes on from an entry of another one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Journal;
use crate::entry::{Entry, Renumbering};
use crate::event::{
    Defined, Definition, Event, ForkedFrom, Paused, Scope, SessionStarted, Titled, ToolFinished,
};
use crate::id::{AgentId, Seq, SessionId};
use crate::state::{AgentState, CallStatus, Refusal, SessionFacts};
use crate::time::Timestamp;
use crate::tool::ToolOutcome;

/// The reason that a model reads for calls that were open where a session was forked.
const SKIPPED: &str = "the session was forked before this call was answered";

impl Journal {
    /// The first entries of a session that goes on from an entry of this one.
    ///
    /// They hold the conversation on the path to the entry, with new numbers, the definition of the
    /// agent, and the title. Calls that are open
    /// there are answered as skipped. What the session as a whole is or used is not copied: its
    /// ledger, labels, inbox, queued messages, and what was asked and approved. The entries that
    /// are copied keep their times; the others are made at this time.
    ///
    /// # Errors
    /// [`Refusal::UnknownEntry`] if there is no such entry.
    pub fn fork(
        &self,
        session: &SessionId,
        at: Seq,
        into: &SessionId,
        time: Timestamp,
    ) -> Result<Vec<Arc<Entry>>, Refusal> {
        if at == Seq::ZERO || self.get(at).is_none() {
            return Err(Refusal::UnknownEntry { entry: at, last: self.version() });
        }
        let mut fork = Fork { entries: self.copies(session, at, into), time };
        for event in closing(into, &fork.entries) {
            fork.add(event);
        }
        let state = self.fold(session);
        let copied = fork.entries.len() as u64;
        let agent = state.facts().agent.clone().unwrap_or_else(|| AgentId::from(""));
        let forked_from = Some(ForkedFrom { session: session.clone(), entry: at, copied });
        fork.begin(SessionStarted { session: into.clone(), agent, parent: None, forked_from });
        let facts = state.facts();
        defining(facts).into_iter().for_each(|event| fork.add(event));
        let title = state.summary().title.clone();
        if !title.is_empty() {
            fork.add(Event::Titled(Titled { text: Some(title) }));
        }
        Ok(fork.entries)
    }

    /// The entries of the conversation on a path, numbered from 2.
    fn copies(&self, session: &SessionId, at: Seq, into: &SessionId) -> Vec<Arc<Entry>> {
        let path = self.path(at);
        let mut last = Seq(1);
        let mut numbers = BTreeMap::new();
        for entry in &path {
            if is_copied(entry) {
                last = last.next();
            }
            // One that is left out has the place of the one before it.
            numbers.insert(entry.seq, last);
        }
        let number = |seq: Seq| numbers.get(&seq).copied().unwrap_or(Seq(1));
        let numbering = Renumbering { from: session, to: into, number };
        let copied = path.iter().filter(|entry| is_copied(entry));
        let copied = (1..).zip(copied).map(|(parent, entry)| {
            let copy = entry.renumbered(&numbering);
            // Also where the parent that an entry of a damaged journal names is none.
            Arc::new(Entry { seq: Seq(parent + 1), parent: Seq(parent), ..(*copy).clone() })
        });
        copied.collect()
    }
}

/// The entries of a fork; the first is added last, as it says how many were copied.
struct Fork {
    entries: Vec<Arc<Entry>>,
    time: Timestamp,
}

impl Fork {
    fn add(&mut self, event: Event) {
        let parent = self.entries.last().map_or(Seq(1), |last| last.seq);
        let seq = parent.next();
        self.entries.push(Arc::new(Entry { seq, parent, at: self.time, event }));
    }

    fn begin(&mut self, started: SessionStarted) {
        let (seq, parent, event) = (Seq(1), Seq::ZERO, Event::SessionStarted(started));
        self.entries.insert(0, Arc::new(Entry { seq, parent, at: self.time, event }));
    }
}

/// The events that record the definition of a session, and what was set over it.
fn defining(facts: &SessionFacts) -> Vec<Event> {
    let (own, digest) = (facts.own_definition().clone(), facts.definition_digest.clone());
    let settings = facts.settings.clone();
    let set = own.with_settings(&settings);
    let mut events = Vec::new();
    if *own != Definition::default() || digest.is_some() {
        events.push(Event::Defined(Defined { definition: own, digest }));
    }
    if !settings.is_empty() {
        events.push(Event::SettingsSet(settings.into()));
    }
    // A program may have changed it since.
    if set != *facts.definition {
        let definition = facts.definition.clone();
        events.push(Event::Defined(Defined { definition, digest: None }));
    }
    events
}

/// Whether an entry is part of the conversation.
fn is_copied(entry: &Entry) -> bool {
    entry.event.scope() != Scope::Session
}

/// The events that answer the calls that are open after these entries.
fn closing(session: &SessionId, entries: &[Arc<Entry>]) -> Vec<Event> {
    let state = AgentState::fold(SessionFacts::new(session.clone()), entries.iter().cloned());
    let calls = state.current_step().map(|step| step.calls.iter()).into_iter().flatten();
    let open = (0..).zip(calls).filter(|(_, slot)| !matches!(slot.status, CallStatus::Done(_)));
    let skipped = || ToolOutcome::Skipped(SKIPPED.to_owned());
    let answers =
        open.map(|(index, _)| Event::ToolFinished(ToolFinished::without_running(index, skipped())));
    let answers: Vec<_> = answers.collect();
    // A damaged journal may say that a call waits which there is not.
    let after = answers.iter().cloned().fold(state.clone(), AgentState::with);
    let nothing_waits = Event::Paused(Paused::default());
    answers.into_iter().chain((!after.pending().is_empty()).then_some(nothing_waits)).collect()
}
