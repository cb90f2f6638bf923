//! What must hold when all sessions are over.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, Instant};

use legwork_core::{
    EffectKey, Event, ExecutionStatus, Seq, SessionId, Timestamp, ToolOutcome, journal::Journal,
};
use legwork_port::Store;
use legwork_port::store::{DueQuery, Range};
use legwork_testkit::invariants;

use super::clerk::{ONCE, STEPS};
use super::ledger::Effect;
use super::play::Played;

/// What was found beside that everything holds.
#[derive(Debug, Default)]
pub(super) struct Found {
    entries: u64,
    effects: usize,
    interrupted: usize,
    supplied: usize,
    looks_again: usize,
    inferences_again: usize,
}

/// A call as the journal has it.
#[derive(Debug)]
pub(super) struct Call {
    tool: String,
    key: EffectKey,
    began: bool,
    pub(super) outcomes: Vec<String>,
}

/// What a call in doubt comes to: what the model is told, or what the person answers.
const IN_DOUBT: [&str; 2] = ["interrupted", "unknown"];

/// Checks the journals, the effects and the claims of a run.
pub(super) async fn of(played: &Played) -> Found {
    let effects = played.ledger.all();
    let mut found = Found { effects: effects.len(), ..Found::default() };
    let mut journals = BTreeMap::new();
    for session in &played.sessions {
        let loaded = played.store.read(session, Range::ALL).await.unwrap();
        assert!(loaded.damage.is_none() && loaded.unreadable.is_none(), "{session}");
        is_free(&*played.store, session).await;
        history(session, &loaded.journal);
        let calls = calls(session, &loaded.journal);
        let own: Vec<_> = effects.iter().filter(|effect| effect.key.session == *session).collect();
        for tool in ONCE {
            once(tool, &calls, &own);
            let is_in_doubt =
                played.in_doubt.iter().any(|(of, name)| (of, *name) == (session, tool));
            let outcome =
                calls.iter().find(|call| call.tool == tool).map(|call| &*call.outcomes[0]);
            assert!(!is_in_doubt || IN_DOUBT.map(Some).contains(&outcome), "{session}: {calls:#?}");
            found.interrupted += usize::from(outcome == Some(IN_DOUBT[0]));
            found.supplied += usize::from(outcome == Some(IN_DOUBT[1]));
        }
        found.looks_again += own.iter().filter(|effect| effect.tool == "look").count() - 2;
        found.inferences_again += count(&loaded.journal, "inference_started") - STEPS;
        found.entries += loaded.journal.version().0;
        journals.insert(session.clone(), loaded.journal);
    }
    invariants::of_tree(&journals).unwrap();
    let due = played.store.due(&DueQuery::at(Timestamp(u64::MAX / 4))).await.unwrap();
    assert!(due.sessions.is_empty(), "{:?}", due.sessions);
    found
}

/// No claim is left: one of a worker that died just before it gave it back ends with its lease.
async fn is_free(store: &dyn Store, session: &SessionId) {
    let until = Instant::now() + Duration::from_secs(30);
    while store.is_claimed(session).await.unwrap() == Some(true) {
        assert!(Instant::now() < until, "{session} stays claimed");
        tokio::task::yield_now().await;
    }
}

fn count(journal: &Journal, kind: &str) -> usize {
    journal.entries().iter().filter(|entry| entry.event.kind() == kind).count()
}

/// The session has one history, and in it each step once.
fn history(session: &SessionId, journal: &Journal) {
    let mut last = Seq::ZERO;
    for entry in journal.entries() {
        assert_eq!((entry.parent, entry.seq), (last, Seq(last.0 + 1)), "{session}");
        last = entry.seq;
    }
    for (kind, times) in [
        ("session_started", 1),
        ("execution_started", 1),
        ("responded", STEPS),
        ("step_finished", STEPS),
        ("execution_finished", 1),
    ] {
        assert_eq!(count(journal, kind), times, "{session}: {kind}");
    }
    let state = journal.fold(session);
    assert_eq!(state.status(), Some(&ExecutionStatus::Completed), "{session}");
    assert_eq!(state.final_response().unwrap().text(), "done", "{session}");
}

/// The calls of a session in their order.
pub(super) fn calls(session: &SessionId, journal: &Journal) -> Vec<Call> {
    let (mut calls, mut of_turn) = (Vec::<Call>::new(), 0);
    for entry in journal.entries() {
        match &entry.event {
            Event::Responded(responded) => {
                of_turn = calls.len();
                for (index, call) in (0..).zip(responded.response.message.tool_calls()) {
                    let key = EffectKey { session: session.clone(), entry: entry.seq, index };
                    let (tool, outcomes) = (call.name.to_string(), Vec::new());
                    calls.push(Call { tool, key, began: false, outcomes });
                }
            }
            Event::ToolStarted(started) => calls[of_turn + started.index as usize].began = true,
            Event::ToolFinished(finished) => {
                let outcome = match &*finished.outcome {
                    ToolOutcome::Interrupted => IN_DOUBT[0].to_owned(),
                    outcome => outcome.to_text(),
                };
                calls[of_turn + finished.index as usize].outcomes.push(outcome);
            }
            Event::Answered(answered) => {
                let is_meant = |call: &&mut Call| call.key.to_string() == answered.answer.id;
                let call = calls.iter_mut().find(is_meant).unwrap();
                call.outcomes.push(IN_DOUBT[1].to_owned());
            }
            _ => {}
        }
    }
    calls
}

/// A call of class `Once` is there once, and its effect at most once: exactly once if its worker
/// came to its outcome. What happened was in the journal before, as an intent.
fn once(tool: &str, calls: &[Call], effects: &[&Effect]) {
    let mut calls = calls.iter().filter(|call| call.tool == tool);
    let call = calls.next().unwrap();
    assert!(calls.next().is_none() && call.began && call.outcomes.len() == 1, "{call:?}");
    let keys: Vec<_> = effects.iter().filter(|e| e.tool == tool).map(|e| &e.key).collect();
    let distinct: BTreeSet<_> = keys.iter().map(ToString::to_string).collect();
    assert!(keys.len() <= 1, "the effect of {tool} happened {} times: {distinct:?}", keys.len());
    assert!(keys.iter().all(|key| **key == call.key), "{call:?}: {keys:?}");
    if call.outcomes[0] == "done" {
        assert_eq!(keys.len(), 1, "{call:?}");
    } else {
        assert!(IN_DOUBT.contains(&&*call.outcomes[0]), "{call:?}");
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} entries, {} effects; of calls in doubt {} reported, {} answered; run again: {} \
             reads, {} inferences",
            self.entries,
            self.effects,
            self.interrupted,
            self.supplied,
            self.looks_again,
            self.inferences_again
        )
    }
}
