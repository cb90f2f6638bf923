//! Claims that end by themselves.

use std::time::{Duration, Instant};

use legwork_core::{Fence, Seq};
use legwork_port::store::{Batch, DueQuery, Error, Holder, Loss, Range};
use legwork_port::{Claim, Store as _};
use legwork_store::postgres::Options;

use super::Scratch;
use crate::child::Child;
use crate::sample::{append, entries, numbers, session};

/// The claim of a session, once the lease of its holder has run out.
async fn taken_over(store: &dyn legwork_port::Store) -> Box<dyn Claim> {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        match store.claim(&session("s")).await {
            Ok(claim) => return claim,
            Err(Error::Held { .. }) if Instant::now() < until => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn s8_3_a_claim_of_a_killed_process_is_taken_over_after_its_lease() {
    let Some(scratch) = Scratch::new() else { return };
    let mut holder = Child::start("postgres hold", scratch.url("store").as_ref());
    let fence = Fence(holder.next_line().unwrap().parse().unwrap());
    let store = scratch.store("store");
    holder.kill();
    let claim = taken_over(&store).await;
    assert!(claim.fence() > fence);
    append(&*claim, 4..=5).await;
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn s8_4_a_process_killed_while_it_appends_leaves_a_whole_journal() {
    let Some(scratch) = Scratch::new() else { return };
    let (store, mut last) = (scratch.store("store"), 0);
    for round in 0..4 {
        let mut child = Child::start("postgres append", scratch.url("store").as_ref());
        let mut durable = last;
        for _ in 0..=(round * 7) % 23 {
            durable = child.next_line().unwrap().parse().unwrap();
        }
        child.kill();
        // What it had sent may still happen, until the session is claimed anew.
        taken_over(&store).await.release().await.unwrap();
        let loaded = store.read(&session("s"), Range::ALL).await.unwrap();
        assert_eq!(loaded.damage, None);
        last = loaded.journal.version().0;
        assert!(last >= durable, "entry {durable} was reported as durable, the last one is {last}");
        assert_eq!(last % 3, 0, "an append is there whole or not at all");
        assert_eq!(loaded.journal.entries(), entries(1..=last));
    }
}

#[tokio::test]
async fn s8_3_until_its_lease_ends_a_killed_process_holds_its_claim() {
    let Some(scratch) = Scratch::new() else { return };
    let mut holder = Child::start("postgres keep", scratch.url("store").as_ref());
    holder.next_line().unwrap();
    holder.kill();
    let store = scratch.store("store");
    let error = store.claim(&session("s")).await.err().unwrap();
    assert!(matches!(error, Error::Held { by: Holder::Unknown, .. }), "{error}");
    let error = store.remove(&[session("s")]).await.unwrap_err();
    assert!(matches!(error, Error::Held { .. }), "{error}");
    assert_eq!(store.is_claimed(&session("s")).await.unwrap(), Some(true));
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3]);
}

#[tokio::test]
async fn s8_3_a_holder_that_paused_past_its_lease_is_fenced_out() {
    let Some(scratch) = Scratch::new() else { return };
    let short = Options::new().lease(Duration::from_millis(300));
    let paused = short.open(&scratch.url("store")).unwrap();
    let (old, store) = (paused.claim(&session("s")).await.unwrap(), scratch.store("store"));
    append(&*old, 1..=1).await;
    assert_eq!(old.renew_every(), Some(Duration::from_millis(100)));
    let new = taken_over(&store).await;
    let refused = old.append(Seq(1), Batch::of(&entries(2..=2))).await;
    assert!(matches!(refused, Err(Error::Lost { cause: Loss::Claimed, .. })), "{refused:?}");
    let refused = old.renew().await;
    assert!(matches!(refused, Err(Error::Lost { cause: Loss::Claimed, .. })), "{refused:?}");
    append(&*new, 2..=2).await;
    // Given back late, it frees nothing.
    old.release().await.unwrap();
    assert_eq!(store.is_claimed(&session("s")).await.unwrap(), Some(true));
    new.release().await.unwrap();
    store.remove(&[session("s")]).await.unwrap();
}

#[tokio::test]
async fn s8_3_a_lease_that_ran_out_is_good_as_long_as_nobody_took_it() {
    let Some(scratch) = Scratch::new() else { return };
    let short = Options::new().lease(Duration::from_millis(100));
    let store = short.open(&scratch.url("store")).unwrap();
    let claim = store.claim(&session("s")).await.unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while store.is_claimed(&session("s")).await.unwrap() == Some(true) {
        assert!(Instant::now() < until, "the lease does not run out");
        tokio::task::yield_now().await;
    }
    append(&*claim, 1..=2).await;
    claim.renew().await.unwrap();
    assert_eq!(numbers(&store, &session("s")).await, [1, 2]);
}

#[tokio::test]
async fn s8_3_a_claim_of_a_removed_session_writes_nothing_in_a_new_one() {
    let Some(scratch) = Scratch::new() else { return };
    let store = scratch.store("store");
    let old = store.claim(&session("s")).await.unwrap();
    append(&*old, 1..=1).await;
    scratch.sql("UPDATE store.session SET lease_until = NULL").await;
    store.remove(&[session("s")]).await.unwrap();
    let refused = old.renew().await;
    assert!(matches!(refused, Err(Error::Lost { cause: Loss::Removed, .. })), "{refused:?}");
    let new = store.claim(&session("s")).await.unwrap();
    assert!(new.fence() > old.fence());
    let refused = old.append(Seq(0), Batch::of(&entries(1..=1))).await;
    assert!(matches!(refused, Err(Error::Lost { cause: Loss::Removed, .. })), "{refused:?}");
    append(&*new, 1..=3).await;
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3]);
}

#[tokio::test]
async fn s8_3_a_refusal_says_if_this_process_holds_it() {
    let Some(scratch) = Scratch::new() else { return };
    let store = scratch.store("store");
    let _held = store.claim(&session("s")).await.unwrap();
    let error = scratch.store("store").claim(&session("s")).await.err().unwrap();
    assert!(matches!(error, Error::Held { by: Holder::ThisProcess, .. }), "{error}");
}

#[tokio::test]
async fn s8_9_a_session_whose_holder_died_is_due_after_its_lease() {
    let Some(scratch) = Scratch::new() else { return };
    let mut holder = Child::start("postgres due", scratch.url("store").as_ref());
    holder.next_line().unwrap();
    let store = scratch.store("store");
    let query = DueQuery::at(legwork_core::Timestamp(u64::MAX / 4));
    holder.kill();
    let until = Instant::now() + Duration::from_secs(60);
    while store.due(&query).await.unwrap().sessions.is_empty() {
        assert!(Instant::now() < until, "it does not become due");
        tokio::task::yield_now().await;
    }
    let due = store.due(&query).await.unwrap().sessions;
    assert_eq!(due.iter().map(|info| info.session.as_str()).collect::<Vec<_>>(), ["s"]);
    let _held = store.claim(&session("s")).await.unwrap();
    assert!(store.due(&query).await.unwrap().sessions.is_empty());
}
