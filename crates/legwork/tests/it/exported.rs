//! Journals as text, and the sessions that they are taken in as.

use std::sync::Arc;

use legwork::agent::StoredSession;
use legwork::agent::memory::MemoryStore;
use legwork::core::event::SessionStarted;
use legwork::core::inbox::Item;
use legwork::core::journal::Journal;
use legwork::core::{AgentState, Entry, Event, SessionId, Summary, Timestamp};
use legwork::port::Store;
use legwork::port::store::{Query, Range};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::arbitrary;

/// A session in which anything happened.
fn session() -> impl Strategy<Value = AgentState> {
    prop::collection::vec(arbitrary::event(), 0..40).prop_map(|events| {
        let (session, agent) = (SessionId::new("s"), "clerk".into());
        let id = session.clone();
        let started = SessionStarted { session, agent, parent: None, forked_from: None };
        let begun = AgentState::new(id).with(Event::SessionStarted(started));
        let may_follow = |event: &Event| match event {
            // A journal begins once.
            Event::SessionStarted(_) => false,
            // No inbox has so many items.
            Event::InboxTaken(taken) => taken.cursor.0 < u64::from(u32::MAX),
            _ => true,
        };
        events.into_iter().filter(may_follow).fold(begun, AgentState::with)
    })
}

/// The journal of a session as an export has it, read again.
fn read_again(journal: &Journal) -> Journal {
    let lines = journal.entries().iter().map(|entry| entry.encode().unwrap());
    let text = lines.collect::<Vec<_>>().join(&b'\n');
    let lines = text.split(|byte| *byte == b'\n');
    Journal::new(lines.map(|line| Arc::new(Entry::decode(line).unwrap())).collect())
}

/// A summary whose numbers are no larger than a column of a database holds.
fn in_columns(summary: &Summary) -> Summary {
    let most = i64::MAX as u64;
    let mut summary = summary.clone();
    summary.steps = summary.steps.min(most);
    summary.due_at = summary.due_at.map(|at| Timestamp(at.0.min(most)));
    summary
}

/// Takes a journal in and compares what the store has of it.
async fn check(store: &dyn Store, state: &AgentState) -> Result<(), TestCaseError> {
    let (id, journal) = (state.session().clone(), Journal::new(state.uncommitted().to_vec()));
    let folded = journal.fold(&id);
    StoredSession::import(store, &[(id.clone(), read_again(&journal))]).await.unwrap();
    let there = store.read(&id, Range::ALL).await.unwrap();
    prop_assert!(there.damage.is_none() && there.unreadable.is_none());
    prop_assert_eq!(&there.journal, &journal);
    prop_assert_eq!(&there.journal.fold(&id), &folded);
    let listed = store.sessions(&Query::all()).await.unwrap().sessions;
    prop_assert_eq!(listed.iter().map(|info| &info.session).collect::<Vec<_>>(), [&id]);
    prop_assert_eq!(in_columns(&listed[0].summary), in_columns(folded.summary()));
    // What waited in its inbox is not part of it; what is said to it now is new to the journal.
    let taken = folded.facts().inbox_cursor;
    prop_assert!(store.inbox(&id, taken).await.unwrap().is_empty());
    let cursor = store.post(&id, "key", &Item::Stop("enough".into())).await.unwrap();
    prop_assert!(cursor > taken, "{cursor:?} after {taken:?}");
    prop_assert_eq!(store.inbox(&id, taken).await.unwrap().len(), 1);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn s8_5_the_import_of_an_export_is_the_session(state in session()) {
        let dir = tempfile::tempdir().unwrap();
        let place = |name: &str| format!("{name}:{}", dir.path().join(name).display());
        let stores: [Arc<dyn Store>; 3] = [
            Arc::new(MemoryStore::new()),
            legwork::store::open(&place("sqlite")).unwrap(),
            legwork::store::open(&place("jsonl")).unwrap(),
        ];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for store in stores {
            runtime.block_on(check(&*store, &state))?;
        }
    }
}
