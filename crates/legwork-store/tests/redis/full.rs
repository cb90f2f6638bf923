//! A server that cannot take more.

use legwork_core::Seq;
use legwork_core::inbox::{Cursor, Item};
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error, Query};

use crate::sample::{Place, append, numbers, said, session, write};

/// Lets the server have so many bytes; 0 for no limit.
async fn limit(place: &Place, most: u64) {
    let _: () = place.run("CONFIG", ("SET", "maxmemory", most)).await;
}

/// The bytes that it uses.
async fn used(place: &Place) -> u64 {
    let info: String = place.run("INFO", "memory").await;
    let used = info.lines().find_map(|line| line.strip_prefix("used_memory:")).unwrap();
    used.trim().parse().unwrap()
}

#[tokio::test]
async fn s12_1_a_full_server_is_an_error_and_the_store_goes_on_when_there_is_room() {
    let Some(place) = Place::own() else { return };
    let (store, name, other) = (place.store(), session("s"), session("other"));
    write(&store, &other, &[1..=3]).await;
    limit(&place, used(&place).await + 2_000_000).await;
    let claim = store.claim(&name).await.unwrap();
    let text = "x".repeat(10_000);
    let mut last = 0;
    let error = loop {
        let two = [said(last + 1, &text), said(last + 2, &text)];
        match claim.append(Seq(last), Batch::of(&two)).await {
            Ok(_) => last += 2,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Failed { .. }), "{error}");
    assert!(error.to_string().contains("it has no memory left"), "{error}");
    assert!(last > 2, "some of it found room");
    let whole: Vec<_> = (1..=last).collect();
    assert_eq!(numbers(&store, &name).await, whole);
    assert_eq!(store.sessions(&Query::all()).await.unwrap().sessions[0].entries, last);
    // What the append needed is free again, so there may be room for less.
    limit(&place, 1).await;
    let posted = store.post(&name, "key", &Item::Stop("enough".into())).await.unwrap_err();
    assert!(posted.to_string().contains("it has no memory left"), "{posted}");
    assert!(store.inbox(&name, Cursor(0)).await.unwrap().is_empty());
    // What needs no memory goes on.
    claim.renew().await.unwrap();
    claim.release().await.unwrap();
    store.remove(&[other]).await.unwrap();

    limit(&place, 0).await;
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, last + 1..=last + 3).await;
    let whole: Vec<_> = (1..=last + 3).collect();
    assert_eq!(numbers(&store, &name).await, whole);
}

#[tokio::test]
async fn s12_1_a_server_that_misses_its_replicas_takes_nothing() {
    let Some(place) = Place::own() else { return };
    let (store, name) = (place.store(), session("s"));
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, 1..=1).await;
    let _: () = place.run("CONFIG", ("SET", "min-replicas-to-write", "1")).await;
    let error = claim.append(Seq(1), Batch::of(&[said(2, "x")])).await.unwrap_err();
    assert!(error.to_string().contains("fewer replicas than it requires"), "{error}");
    assert_eq!(numbers(&store, &name).await, [1]);
    let _: () = place.run("CONFIG", ("SET", "min-replicas-to-write", "0")).await;
    append(&*claim, 2..=2).await;
}
