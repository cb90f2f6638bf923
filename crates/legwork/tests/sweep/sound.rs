//! What holds of a store after a fault, however far the run came.

use std::collections::{BTreeMap, BTreeSet};

use legwork::core::inbox::Verdict;
use legwork::core::journal::{self, Journal};
use legwork::core::{EffectClass, Event, Seq, SessionId, ToolOutcome};
use legwork::port::Store;
use legwork::port::store::{Error, Query, Range};
use legwork_testkit::invariants;

use crate::child::{FORK, SESSION};
use crate::listed;
use crate::place::Place;
use crate::world::{self, Effect};

/// The journals of a store that opens clean, each of them sound, and the effects that belong to
/// them.
pub(crate) async fn check(place: &Place) -> Result<BTreeMap<SessionId, Journal>, String> {
    let store = place.open()?;
    let journals = read(&*store).await?;
    let effects = world::read(&place.effects());
    let mut known = Known::default();
    for (session, journal) in &journals {
        lines_are_sound(session, journal)?;
        invariants::of_journal(session, journal).map_err(|broken| broken.to_string())?;
        known.take(session, journal);
    }
    known.check(&effects)?;
    listed::check(&*store, &journals).await?;
    Ok(journals)
}

/// All journals, none of them damaged; also of sessions that are not listed yet.
async fn read(store: &dyn Store) -> Result<BTreeMap<SessionId, Journal>, String> {
    let failed = |error: Error| error.to_string();
    let listed = store.sessions(&Query::all()).await.map_err(failed)?.sessions;
    let mut sessions: BTreeSet<_> = listed.into_iter().map(|info| info.session).collect();
    sessions.extend([SESSION, FORK].map(SessionId::from));
    let mut journals = BTreeMap::new();
    for session in sessions {
        let loaded = store.read(&session, Range::ALL).await.map_err(failed)?;
        if loaded.damage.is_some() || loaded.unreadable.is_some() {
            let (damage, unreadable) = (loaded.damage, loaded.unreadable);
            return Err(format!("{session} is damaged: {damage:?}, {unreadable:?}"));
        }
        if loaded.journal.version() != Seq::ZERO {
            journals.insert(session, loaded.journal);
        }
    }
    Ok(journals)
}

fn lines_are_sound(session: &SessionId, journal: &Journal) -> Result<(), String> {
    let lines: Result<Vec<_>, _> = journal.entries().iter().map(|entry| entry.encode()).collect();
    let lines = lines.map_err(|error| error.to_string())?;
    match journal::check(lines.iter().map(AsRef::as_ref)).first() {
        None => Ok(()),
        Some(problem) => Err(format!("the journal of {session}: {problem}")),
    }
}

/// What the journals say of calls that have an effect, by their keys.
#[derive(Debug, Default)]
struct Known {
    /// Calls of class `Once` whose intent is there.
    intents: BTreeSet<String>,
    /// Those that have the result of a body.
    finished: BTreeSet<String>,
    /// Calls of class `Idempotent`, which may happen again with the same key.
    repeatable: BTreeSet<String>,
}

impl Known {
    fn take(&mut self, session: &SessionId, journal: &Journal) {
        let facts = journal.fold(session);
        let (mut response, mut once) = (Seq::ZERO, BTreeSet::new());
        for entry in journal.entries() {
            if facts.facts().is_copied(entry.seq) {
                continue;
            }
            let key = |index: u32| format!("{session}/{response}/{index}");
            match &entry.event {
                Event::Responded(_) => response = entry.seq,
                Event::ToolStarted(started) if matches!(started.effect, EffectClass::Once(_)) => {
                    once.insert(key(started.index));
                    self.intents.insert(key(started.index));
                }
                Event::ToolStarted(started) if started.effect == EffectClass::Idempotent => {
                    self.repeatable.insert(key(started.index));
                }
                Event::ToolFinished(finished) if once.contains(&key(finished.index)) => {
                    if matches!(*finished.outcome, ToolOutcome::Ok(_)) {
                        self.finished.insert(key(finished.index));
                    }
                }
                Event::Answered(answered) => {
                    if matches!(answered.answer.verdict, Verdict::Supply(_)) {
                        self.finished.insert(answered.answer.id.clone());
                    }
                }
                _ => {}
            }
        }
    }

    /// Each effect has an intent, and each that finished is there once.
    fn check(&self, effects: &[Effect]) -> Result<(), String> {
        let mut counts = BTreeMap::new();
        for effect in effects {
            *counts.entry(&*effect.key).or_insert(0) += 1;
            let is_put = effect.what.starts_with("put ");
            if !is_put && !self.intents.contains(&effect.key) {
                return Err(format!("{effect:?} happened without an intent"));
            }
            if counts[&*effect.key] > 1 && !is_put {
                return Err(format!("{effect:?} happened more than once"));
            }
        }
        match self.finished.iter().find(|key| !counts.contains_key(&***key)) {
            None => Ok(()),
            Some(key) => Err(format!("the effect of {key} is finished and not there")),
        }
    }
}
