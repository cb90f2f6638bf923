//! When the session of a dead worker may be taken over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork_core::{SessionId, Timestamp};
use legwork_port::Store;
use legwork_port::store::{DueQuery, Range};
use tokio::sync::mpsc::unbounded_channel;

use super::ledger::Ledger;
use super::place::{self, Place};
use super::points::Point;
use super::process::{Process, Said, Setup};
use super::{clerk, verdict};

const LEASE: Duration = Duration::from_secs(2);
/// What takes longer fails.
const LIMIT: Duration = Duration::from_secs(60);
/// A renewal that the worker sent last may reach the server after its death.
const LATE: Duration = Duration::from_millis(700);

async fn is_due(store: &dyn Store) -> bool {
    let due = store.due(&DueQuery::at(Timestamp(u64::MAX / 4))).await.unwrap();
    !due.sessions.is_empty()
}

/// A worker dies between the effect and the outcome of a call. The server says that its session is
/// due whenever it is asked after the lease, and another worker finishes it.
async fn check(place: Option<Place>) {
    let Some(place) = place else { return };
    let folder = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(&folder.path().join("effects"));
    let store = place::open(place.url(), LEASE);
    let agent = clerk::agent(Arc::clone(&store), &ledger, &Arc::default());
    agent.session("job").submit("job").await.unwrap();
    let (url, path) = (place.url().to_owned(), ledger.path().to_owned());
    let setup = Setup { url, ledger: path, lease: LEASE };
    let (sender, mut heard) = unbounded_channel();
    let mut first = Process::start(1, &setup, sender.clone());
    loop {
        match heard.recv().await.unwrap().1 {
            Said::At { point: Point::NoteDid, .. } => break,
            Said::At { at, .. } => first.go(at),
            _ => {}
        }
    }
    assert!(!is_due(&*store).await, "its worker renews its claim");
    first.kill();
    let dead = Instant::now();
    loop {
        let asked = dead.elapsed();
        if is_due(&*store).await {
            break;
        }
        assert!(asked < LEASE + LATE, "not due {asked:?} after its worker died");
        tokio::task::yield_now().await;
    }
    let mut second = Process::start(2, &setup, sender);
    let finished = async {
        loop {
            match heard.recv().await.unwrap() {
                (2, Said::At { at, .. }) => second.go(at),
                (2, Said::Rested(_)) => break,
                _ => {}
            }
        }
    };
    // Past it, the session was not taken over.
    tokio::time::timeout(LIMIT, finished).await.unwrap();
    second.rests();
    let id = SessionId::from("job");
    let run = agent.session(id.clone()).last_run().await.unwrap();
    assert_eq!(run.text(), "done");
    let journal = store.read(&id, Range::ALL).await.unwrap().journal;
    let calls = verdict::calls(&id, &journal);
    assert_eq!(calls[1].outcomes, ["interrupted"], "{calls:#?}");
    assert_eq!(ledger.all().iter().filter(|effect| effect.tool == "note").count(), 1);
}

#[tokio::test]
async fn s10_6_s8_3_on_postgres_the_session_of_a_dead_worker_is_due_within_its_lease() {
    check(Place::postgres()).await;
}

#[tokio::test]
async fn s10_6_s8_3_on_redis_the_session_of_a_dead_worker_is_due_within_its_lease() {
    check(Place::redis()).await;
}
