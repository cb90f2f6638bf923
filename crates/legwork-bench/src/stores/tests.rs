use std::sync::Arc;

use legwork::{agent::memory::MemoryStore, port::Store, port::store::Range};

use super::{Replay, Row, Tape};

#[tokio::test]
async fn a_tape_has_the_appends_of_each_step() {
    let tape = Tape::record(5).await.unwrap();
    let appends: Vec<_> = tape.steps().iter().map(Vec::len).collect();
    assert_eq!(appends[1..4], [2, 2, 2], "{appends:?}");
}

#[tokio::test]
async fn what_is_replayed_is_what_was_recorded() {
    let tape = Tape::record(5).await.unwrap();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut replay = Replay::begin(&store, "replayed").await.unwrap();
    for index in 0..5 {
        replay.step(tape.events(index)).await.unwrap();
    }
    let state = replay.end().await;
    let loaded = store.read(state.session(), Range::ALL).await.unwrap();
    let recorded: Vec<_> = tape.steps().iter().flatten().flatten().cloned().collect();
    assert_eq!(loaded.journal.entries(), recorded);
    assert_eq!(state.step_results().count(), 5);
    assert!(store.claim(state.session()).await.is_ok());
}

#[tokio::test]
async fn a_row_has_an_entry_a_line() {
    let tape = Tape::record(2).await.unwrap();
    let batch = &tape.step(0)[0];
    let row = Row::of(batch).unwrap();
    let (last, _, lines) = row.columns();
    assert_eq!(last, i64::try_from(batch.last().unwrap().seq.0).unwrap());
    assert_eq!(lines.iter().filter(|byte| **byte == b'\n').count(), batch.len());
    assert_eq!(row.bytes(), lines.len());
}
