//! Claims that are leases.

use std::time::Duration;

use legwork_core::{Fence, Seq};
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error};
use legwork_store::redis::Options;

use crate::sample::{Place, append, entries, numbers, session, until, write};

const SHORT: Duration = Duration::from_millis(300);

#[tokio::test]
async fn s8_3_a_claim_whose_lease_is_over_is_taken_over() {
    let Some(place) = Place::shared() else { return };
    let (one, two) = (place.open(Options::new().lease(SHORT)), place.store());
    let name = session("s");
    let paused = one.claim(&name).await.unwrap();
    append(&*paused, 1..=2).await;
    assert!(matches!(two.claim(&name).await, Err(Error::Held { .. })));
    assert_eq!(two.is_claimed(&name).await.unwrap(), Some(true));
    // The holder does nothing any more, as if its process was stopped.
    let taken = until(async || two.claim(&name).await.ok()).await;
    assert!(taken.fence() > paused.fence());
    for late in [3, 4] {
        let lost = paused.append(Seq(late - 1), Batch::of(&entries(late..=late))).await;
        assert!(matches!(lost, Err(Error::Lost { .. })), "{lost:?}");
        assert!(matches!(paused.renew().await, Err(Error::Lost { .. })));
        append(&*taken, late..=late).await;
    }
    paused.release().await.unwrap();
    assert!(matches!(one.claim(&name).await, Err(Error::Held { .. })));
    assert_eq!(numbers(&two, &name).await, [1, 2, 3, 4]);
}

#[tokio::test]
async fn s8_3_a_claim_that_is_renewed_outlives_its_first_lease() {
    let Some(place) = Place::shared() else { return };
    let (one, two) = (place.open(Options::new().lease(SHORT)), place.store());
    let name = session("s");
    let held = one.claim(&name).await.unwrap();
    assert_eq!(held.renew_every(), Some(SHORT / 3));
    let until_first: u64 = place.run("HGET", (place.of_session("s", &name), "until")).await;
    until(async || {
        held.renew().await.unwrap();
        assert!(matches!(two.claim(&name).await, Err(Error::Held { .. })));
        let (seconds, micros): (u64, u64) = place.run("TIME", &[] as &[&str]).await;
        (seconds * 1_000_000 + micros > until_first).then_some(())
    })
    .await;
    append(&*held, 1..=1).await;
    // By default it lasts half a minute.
    assert_eq!(
        place.store().claim(&session("t")).await.unwrap().renew_every(),
        Some(Duration::from_secs(10))
    );
}

#[tokio::test]
async fn s8_3_the_holder_of_a_removed_session_does_not_write_into_the_next_of_its_name() {
    let Some(place) = Place::shared() else { return };
    let store = place.store();
    let name = session("s");
    let old = store.claim(&name).await.unwrap();
    append(&*old, 1..=1).await;
    place.expire(&name).await;
    store.remove(std::slice::from_ref(&name)).await.unwrap();
    let lost = old.append(Seq(1), Batch::of(&entries(2..=2))).await.unwrap_err();
    assert!(lost.to_string().contains("removed"), "{lost}");
    write(&store, &name, &[1..=1]).await;
    let lost = old.append(Seq(1), Batch::of(&entries(2..=2))).await;
    assert!(matches!(lost, Err(Error::Lost { .. })), "{lost:?}");
    let new = store.claim(&name).await.unwrap();
    assert!(new.fence() > old.fence());
    drop(old);
    append(&*new, 2..=2).await;
}

#[tokio::test]
async fn s8_3_fences_rise_when_the_server_lost_what_it_wrote_last() {
    let Some(place) = Place::shared() else { return };
    let store = place.store();
    let name = session("s");
    let old = store.claim(&name).await.unwrap();
    append(&*old, 1..=1).await;
    for key in place.keys().await {
        let _: i64 = place.run("DEL", key).await;
    }
    let new = store.claim(&name).await.unwrap();
    assert!(new.fence() > old.fence());
    let lost = old.append(Seq(0), Batch::of(&entries(1..=1))).await;
    assert!(matches!(lost, Err(Error::Lost { .. })), "{lost:?}");
}

/// A clock that was set back, so that the time is below the fences that were given.
#[tokio::test]
async fn s8_3_fences_rise_when_the_servers_clock_goes_back() {
    const LATER: u64 = 8_000_000_000_000_000;
    let Some(place) = Place::shared() else { return };
    let (store, name) = (place.store(), session("s"));
    let _: () = place.run("SET", (place.key("fence"), LATER)).await;
    for round in 1..=3 {
        assert_eq!(store.claim(&name).await.unwrap().fence(), Fence(LATER + round));
        write(&store, &name, &[1..=1]).await;
        store.remove(std::slice::from_ref(&name)).await.unwrap();
        let _: () = place.run("SET", (place.key("fence"), LATER + round)).await;
    }
}

#[tokio::test]
async fn a_claim_under_which_nothing_was_written_leaves_nothing() {
    let Some(place) = Place::shared() else { return };
    let store = place.store();
    drop(store.claim(&session("a")).await.unwrap());
    store.claim(&session("a")).await.unwrap().release().await.unwrap();
    assert_eq!(place.keys().await, [place.key("fence"), place.key("version")]);
}

#[tokio::test]
async fn a_refusal_says_whether_this_process_holds_it() {
    let Some(place) = Place::shared() else { return };
    let (one, two) = (place.store(), place.store());
    let _held = one.claim(&session("s")).await.unwrap();
    let error = one.claim(&session("s")).await.err().unwrap().to_string();
    assert!(error.contains("session s") && error.contains("this process"), "{error}");
    let error = two.claim(&session("s")).await.err().unwrap().to_string();
    assert!(error.contains("another process"), "{error}");
}

/// Without a runtime nothing can be sent, so the lease has to end.
#[test]
fn a_claim_that_is_dropped_without_a_runtime_expires() {
    let Some(place) = Place::shared() else { return };
    let name = session("s");
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = place.open(Options::new().lease(SHORT));
    let claim = runtime().block_on(store.claim(&name)).unwrap();
    drop(claim);
    runtime().block_on(async {
        let claim = until(async || store.claim(&name).await.ok()).await;
        append(&*claim, 1..=1).await;
    });
    let error = futures_util::FutureExt::now_or_never(store.claim(&name)).unwrap().err().unwrap();
    assert!(error.to_string().contains("within a tokio runtime only"), "{error}");
}
