//! A server that is killed in the middle of many appends.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use legwork_core::{Seq, SessionId};
use legwork_port::store::{Batch, Error, Range};
use legwork_port::{Claim, Store as _};
use legwork_store::redis::{Options, Store};

use crate::sample::{Place, append, entries, numbers, session, until};

const SESSIONS: u64 = 4;
const ROUNDS: u64 = 6;

/// Appends three entries at a time, and counts those that are durable.
async fn work(store: &Store, name: &SessionId, durable: &AtomicU64, most: u64) {
    let claim = store.claim(name).await.unwrap();
    while durable.load(Ordering::SeqCst) < most {
        let last = durable.load(Ordering::SeqCst);
        append(&*claim, last + 1..=last + 3).await;
        durable.fetch_add(3, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s8_4_a_killed_server_has_every_append_once() {
    let Some(mut place) = Place::own() else { return };
    let patience = Duration::from_secs(60);
    let store = place.open(Options::new().patience(patience).lease(patience));
    let most = ROUNDS * 60;
    let workers: Vec<_> = (0..SESSIONS)
        .map(|number| {
            let (store, durable) = (store.clone(), Arc::new(AtomicU64::new(0)));
            let (name, counted) = (session(&format!("s{number}")), Arc::clone(&durable));
            let task = tokio::spawn(async move { work(&store, &name, &counted, most).await });
            (task, durable)
        })
        .collect();
    for round in 1..ROUNDS {
        until(async || (workers[0].1.load(Ordering::SeqCst) >= round * 60).then_some(())).await;
        place.server().kill().unwrap();
        let before: Vec<_> =
            workers.iter().map(|(_, durable)| durable.load(Ordering::SeqCst)).collect();
        place.server().restart().unwrap();
        let fresh = place.store();
        for (number, before) in before.into_iter().enumerate() {
            let read = fresh.read(&session(&format!("s{number}")), Range::ALL).await.unwrap();
            let last = read.journal.version().0;
            assert!(last >= before, "entry {before} was durable, the last one is {last}");
            assert_eq!(
                (last % 3, read.damage),
                (0, None),
                "an append is there whole or not at all"
            );
        }
    }
    for (number, (task, _)) in workers.into_iter().enumerate() {
        task.await.unwrap();
        let read = store.read(&session(&format!("s{number}")), Range::ALL).await.unwrap();
        assert_eq!(read.journal.entries(), entries(1..=most));
    }
}

/// Appends until the server is away; returns what is durable.
async fn until_away(claim: &dyn Claim, mut last: u64) -> u64 {
    loop {
        match claim.append(Seq(last), Batch::of(&entries(last + 1..=last + 3))).await {
            Ok(_) => last += 3,
            Err(Error::Failed { .. }) => return last,
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s8_4_a_store_without_patience_has_what_was_durable_when_the_server_is_back() {
    let Some(mut place) = Place::own() else { return };
    let name = session("s");
    let mut last = 0;
    for round in 0..8 {
        let store = place.open(Options::new().patience(Duration::ZERO));
        // That of the round before may be held, if it could not be given back.
        let claim: Arc<dyn Claim> = until(async || match store.claim(&name).await {
            Ok(claim) => Some(Arc::from(claim)),
            Err(error) => {
                assert!(matches!(error, Error::Held { .. }), "{error}");
                let _: i64 = place.run("HDEL", (place.of_session("s", &name), "until")).await;
                None
            }
        })
        .await;
        let appending = tokio::spawn({
            let claim = Arc::clone(&claim);
            async move { until_away(&*claim, last).await }
        });
        let reader = place.store();
        let wanted = last + 9 * (round + 1);
        until(async || (numbers(&reader, &name).await.len() as u64 >= wanted).then_some(())).await;
        place.server().kill().unwrap();
        let durable = appending.await.unwrap();
        assert!(durable + 3 >= wanted, "{durable} of {wanted}");
        place.server().restart().unwrap();
        let read = place.store().read(&name, Range::ALL).await.unwrap();
        last = read.journal.version().0;
        assert!(last >= durable, "entry {durable} was durable, the last one is {last}");
        assert_eq!((last % 3, read.damage), (0, None));
        assert_eq!(read.journal.entries(), entries(1..=last));
    }
}
