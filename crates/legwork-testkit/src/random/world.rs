//! What a crash does not undo: the durable store, the provider, and what bodies did.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::FutureExt as _;
use legwork_agent::memory::MemoryStore;
use legwork_core::event::{Event, ToolStarted};
use legwork_core::journal::Journal;
use legwork_core::{EffectKey, Micros, ModelRequest, Seq, SessionId, ToolCall};
use legwork_port::Store as _;
use legwork_port::store::{Query, Range};

use crate::clock::VirtualClock;
use crate::conformance::Violation;
use crate::invariants::{Checked, Journals, well_formed};
use crate::polls;

/// The world of a program; clones are the same world.
#[derive(Clone)]
pub(super) struct World(Arc<Shared>);

struct Shared {
    store: Arc<MemoryStore>,
    clock: VirtualClock,
    pace: Vec<usize>,
    facts: Mutex<Facts>,
}

/// What happened.
#[derive(Default)]
pub(super) struct Facts {
    /// The first thing that did not hold.
    pub(super) violation: Option<Violation>,
    /// The bodies that ran, by the key of their call.
    pub(super) bodies: BTreeMap<String, Bodies>,
    /// Requests that models got.
    pub(super) requests: usize,
    /// Items that were left, by session.
    pub(super) posted: BTreeMap<SessionId, usize>,
    /// Tokens that models said they used.
    pub(super) used: u64,
    /// What became of time.
    pub(super) time: Passed,
    /// How often something happened, by name.
    counts: BTreeMap<String, usize>,
    paced: usize,
}

/// The time that passed while the root's session was there.
#[derive(Default)]
pub(super) struct Passed {
    /// While a process lived.
    pub(super) alive: Micros,
    /// Of that, what passed at once, whatever went on.
    pub(super) leaps: Micros,
    /// How often time passed in which no process lived.
    pub(super) gaps: u64,
    /// How many processes there were.
    pub(super) lives: u64,
}

/// The bodies that ran for one call.
#[derive(Default)]
pub(super) struct Bodies {
    /// Whether the call must not happen twice.
    pub(super) once: bool,
    /// The arguments of each body.
    pub(super) arguments: Vec<String>,
}

impl World {
    pub(super) fn new(pace: &[usize]) -> Self {
        Self(Arc::new(Shared {
            store: Arc::new(MemoryStore::new()),
            clock: VirtualClock::new(),
            pace: pace.to_vec(),
            facts: Mutex::default(),
        }))
    }

    pub(super) fn store(&self) -> &Arc<MemoryStore> {
        &self.0.store
    }

    pub(super) fn clock(&self) -> &VirtualClock {
        &self.0.clock
    }

    pub(super) fn facts(&self) -> MutexGuard<'_, Facts> {
        self.0.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what does not hold; the first is kept.
    pub(super) fn note(&self, checked: Checked) {
        if let Err(violation) = checked {
            self.facts().violation.get_or_insert(violation);
        }
    }

    /// Notes that a check found something.
    pub(super) fn find(&self, check: &'static str, found: impl Into<String>) {
        self.note(Err(Violation { check, found: found.into() }));
    }

    /// How often this happened before; now it happens once more.
    pub(super) fn count(&self, what: &str) -> usize {
        let mut facts = self.facts();
        let count = facts.counts.entry(what.to_owned()).or_default();
        *count += 1;
        *count - 1
    }

    /// Takes some turns, as the program says.
    pub(super) async fn pace(&self) {
        polls::others(self.next_pace()).await;
    }

    fn next_pace(&self) -> usize {
        let (pace, mut facts) = (&self.0.pace, self.facts());
        let at = facts.paced.checked_rem(pace.len()).unwrap_or(0);
        facts.paced += 1;
        pace.get(at).copied().unwrap_or(0)
    }

    /// A session's journal as it is durable.
    pub(super) fn journal(&self, session: &SessionId) -> Journal {
        let read = self.store().read(session, Range::ALL).now_or_never();
        read.and_then(Result::ok).map_or_else(Journal::default, |loaded| loaded.journal)
    }

    /// All journals as they are durable.
    pub(super) fn journals(&self) -> Journals {
        let all = self.store().sessions(&Query::all()).now_or_never().and_then(Result::ok);
        let sessions = all.unwrap_or_default().sessions.into_iter().map(|info| info.session);
        sessions.map(|session| (session.clone(), self.journal(&session))).collect()
    }

    /// A process lived for so long.
    pub(super) fn lived(&self, time: Micros) {
        let mut facts = self.facts();
        facts.time.alive = facts.time.alive.plus(time);
        facts.time.lives += 1;
    }

    /// Lets time pass at once, whatever goes on.
    pub(super) fn leap(&self, length: Duration) {
        self.clock().advance(length);
        let mut facts = self.facts();
        facts.time.leaps = facts.time.leaps.plus(length.into());
    }

    /// The root's session was removed: what happened in it counts no more.
    pub(super) fn forget(&self, left: &Journals) {
        let mut facts = self.facts();
        let of = |key: &String| left.keys().any(|session| key.starts_with(&format!("{session}/")));
        facts.bodies.retain(|key, _| of(key));
        facts.posted.retain(|session, _| left.contains_key(session));
        (facts.requests, facts.used, facts.time) = (0, 0, Passed::default());
    }

    /// A request arrived at a model.
    pub(super) fn requested(&self, request: &ModelRequest) {
        self.note(well_formed(request));
        self.facts().requests += 1;
        let requests = self.facts().requests;
        let reserved = |journal: &Journal| {
            let reserves = |entry: &&Arc<_>| {
                let entry: &legwork_core::Entry = entry;
                matches!(entry.event, Event::InferenceStarted(_) | Event::AuxiliaryStarted(_))
            };
            journal.entries().iter().filter(reserves).count()
        };
        let reserved: usize = self.journals().values().map(reserved).sum();
        if requests > reserved {
            let check = "an inference is reserved, durably, before it is asked (S5.2)";
            self.find(check, format!("{requests} were asked and {reserved} reserved"));
        }
    }

    /// The body of a call begins: what must be durable before is.
    pub(super) fn begins(&self, key: &EffectKey, call: &ToolCall, once: bool) {
        let journal = self.journal(&key.session);
        let response = journal.entries().iter().rev().find_map(|entry| match &entry.event {
            Event::Responded(responded) if entry.seq == key.entry => Some(&responded.response),
            Event::ResponseChanged(changed) if entry.seq > key.entry => Some(&changed.response),
            _ => None,
        });
        let written = response.and_then(|r| r.message.tool_calls().nth(key.index as usize));
        match written {
            None => {
                let check = "a response is durable before a call of it runs (S10.2)";
                self.find(check, format!("{key} runs {}", call.name));
            }
            Some(written) => {
                let changed = written.arguments != call.arguments;
                let arguments = intent(&journal, key)
                    .map(|intent| intent.arguments.as_ref().unwrap_or(&written.arguments));
                let known = arguments == Some(&call.arguments);
                if (once || changed) && !known {
                    let check = "the intent of a call that must not happen twice, or was changed, \
                                 is durable before its body (S6.7, S10.2)";
                    let found = format!("{key} runs {} with {}", call.name, call.arguments);
                    self.find(check, format!("{found}, the journal knows {arguments:?}"));
                }
            }
        }
        let mut facts = self.facts();
        let bodies = facts.bodies.entry(key.to_string()).or_default();
        bodies.once = once;
        bodies.arguments.push(call.arguments.to_string());
    }
}

/// The last durable intent of a call.
pub(super) fn intent<'j>(journal: &'j Journal, key: &EffectKey) -> Option<&'j ToolStarted> {
    journal.entries().iter().rev().find_map(|entry| match &entry.event {
        Event::ToolStarted(started) if started.index == key.index && entry.seq > key.entry => {
            Some(started)
        }
        _ => None,
    })
}

/// A part of a journal, in percent of its entries.
pub(super) fn part(journal: &Journal, percent: u64) -> Seq {
    Seq(journal.version().0 * percent / 100)
}
