//! What the model reads of undos, also of those that died.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::undo::UndoFrom;
use legwork_core::Event;
use legwork_port::Store as _;
use legwork_port::store::Range;
use legwork_testkit::Turn;
use legwork_testkit::fault::{Fault, FaultyStore, Operation};

use crate::undo::{Stack, agent_in, pushes, worked};

fn turns() -> Vec<Turn> {
    vec![pushes(&[1, 2]), pushes(&[3, 4]), Turn::text("done"), pushes(&[5]), Turn::text("more")]
}

/// The messages that undos left for the model.
async fn told(store: &MemoryStore) -> Vec<String> {
    let journal = store.read(&"s".into(), Range::ALL).await.unwrap().journal;
    let text = |event: &Event| match event {
        Event::Steered(message) => Some(message.text()),
        _ => None,
    };
    journal.entries().iter().filter_map(|entry| text(&entry.event)).collect()
}

/// The numbers that a message says were popped.
fn popped(text: &str) -> Vec<u64> {
    text.split("popped ").skip(1).map(|rest| rest[..1].parse().unwrap()).collect()
}

/// A session whose undo is killed at an append, if there are as many; whether it was.
async fn killed(fault: Fault, nth: usize) -> (MemoryStore, Stack, bool) {
    let (store, stack, _) = worked(turns()).await;
    let faulty = FaultyStore::over(Arc::new(store.clone()));
    let faulty = Arc::new(faulty.fault(Operation::Append, nth, fault));
    let agent = agent_in(faulty.clone(), &stack, turns());
    let plan = agent.session("s").undo(UndoFrom::Start).await.unwrap();
    let hung = faulty.hung().clone();
    let died = tokio::select! {
        done = plan.run() => {
            done.unwrap();
            false
        }
        () = hung.cancelled() => true,
    };
    (store, stack, died)
}

#[tokio::test]
async fn s6_7_the_model_reads_of_all_that_was_taken_back_also_before_a_crash() {
    let mut kills = 0;
    for fault in [Fault::HangBefore, Fault::HangAfter] {
        for nth in 1.. {
            let (store, stack, died) = killed(fault, nth).await;
            if !died {
                break;
            }
            kills += 1;
            let agent = agent_in(Arc::new(store.clone()), &stack, turns());
            let session = agent.session("s");
            session.undo(UndoFrom::Start).await.unwrap().run().await.unwrap();
            let read: Vec<_> = told(&store).await.iter().map(|text| popped(text)).collect();
            assert_eq!(read, [[4, 3, 2, 1]], "after {fault:?} {nth}");
            // What was told is not told again.
            session.run("go on").await.unwrap();
            session.undo(UndoFrom::Start).await.unwrap().run().await.unwrap();
            let read: Vec<_> = told(&store).await.iter().map(|text| popped(text)).collect();
            assert_eq!(read, [vec![4, 3, 2, 1], vec![5]], "after {fault:?} {nth}");
        }
    }
    assert!(kills > 8, "it was killed {kills} times");
}

#[tokio::test]
async fn s6_7_an_undo_of_less_tells_the_model_what_one_took_back_that_died() {
    let (store, stack, died) = killed(Fault::HangAfter, 3).await;
    assert!(died);
    let agent = agent_in(Arc::new(store.clone()), &stack, turns());
    let session = agent.session("s");
    let last = session.journal().await.unwrap().version();
    let plan = session.undo(UndoFrom::Entry(last)).await.unwrap();
    assert!(plan.calls().is_empty());
    assert!(plan.run().await.unwrap().calls.is_empty());
    let read: Vec<_> = told(&store).await.iter().map(|text| popped(text)).collect();
    assert_eq!(read, [[4, 3]]);
    session.undo(UndoFrom::Start).await.unwrap().run().await.unwrap();
    let read: Vec<_> = told(&store).await.iter().map(|text| popped(text)).collect();
    assert_eq!(read, [[4, 3], [2, 1]]);
}
