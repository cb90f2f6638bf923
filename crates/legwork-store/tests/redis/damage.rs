//! Journals that something else than Legwork changed.

use legwork_core::Seq;
use legwork_core::SessionId;
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error, Query, Range};
use legwork_store::redis::Store;

use crate::sample::{Place, append, entries, numbers, session, write};

/// A session of six entries, the fifth of which is not whole.
async fn damaged(place: &Place) -> (Store, SessionId) {
    let (store, name) = (place.store(), session("hurt"));
    write(&store, &name, &[1..=3, 4..=6]).await;
    let journal = place.of_session("j", &name);
    for seq in [5, 6] {
        let _: i64 = place.run("XDEL", (&journal, seq)).await;
    }
    let _: () = place.run("XSETID", (&journal, "4-0")).await;
    let line = entries(6..=6)[0].encode().unwrap();
    let _: String = place.run("XADD", (&journal, "5-0", "e", "{\"v\":1,\"se")).await;
    let _: String = place.run("XADD", (&journal, "6-0", "e", line)).await;
    (store, name)
}

#[tokio::test]
async fn s8_4_a_damaged_tail_is_reported_and_the_next_append_sets_it_aside() {
    let Some(place) = Place::shared() else { return };
    let (store, name) = damaged(&place).await;
    let loaded = store.read(&name, Range::ALL).await.unwrap();
    let damage = loaded.damage.unwrap();
    assert!(damage.contains("session hurt is damaged after entry 4"), "{damage}");
    assert_eq!(loaded.journal.entries(), entries(1..=4));
    // A range that ends before it does not reach it.
    let loaded = store.read(&name, Range::ALL.limit(4)).await.unwrap();
    assert_eq!((loaded.damage, loaded.next), (None, Some(Range::after(Seq(4)).limit(4))));
    // Listing does not read it.
    assert_eq!(store.sessions(&Query::all()).await.unwrap().sessions[0].entries, 6);

    let claim = store.claim(&name).await.unwrap();
    for wrong in [3, 5] {
        let moved = claim.append(Seq(wrong), Batch::of(&entries(wrong + 1..=wrong + 1))).await;
        assert!(matches!(moved, Err(Error::Moved { .. })), "{wrong}: {moved:?}");
    }
}

#[tokio::test]
async fn s8_4_what_was_set_aside_is_kept() {
    let Some(place) = Place::shared() else { return };
    let (store, name) = damaged(&place).await;
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, 5..=6).await;
    append(&*claim, 7..=7).await;
    assert_eq!(numbers(&store, &name).await, (1..=7).collect::<Vec<_>>());
    let kept: Vec<(String, Vec<String>)> =
        place.run("XRANGE", (place.of_session("c", &name), "-", "+")).await;
    let kept: Vec<_> = kept.into_iter().map(|(_, fields)| fields[..4].to_vec()).collect();
    let line = String::from_utf8(entries(6..=6)[0].encode().unwrap()).unwrap();
    assert_eq!(kept, [["at", "5-0", "e", "{\"v\":1,\"se"], ["at", "6-0", "e", &line]]);
}

#[tokio::test]
async fn s8_4_entries_that_are_missing_are_damage() {
    let Some(place) = Place::shared() else { return };
    let (store, name) = (place.store(), session("short"));
    write(&store, &name, &[1..=3]).await;
    let _: i64 = place.run("XDEL", (place.of_session("j", &name), "3-0")).await;
    let loaded = store.read(&name, Range::ALL).await.unwrap();
    assert_eq!(loaded.journal.entries(), entries(1..=2));
    assert!(loaded.damage.unwrap().contains("not all there"));
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, 3..=4).await;
    assert_eq!(numbers(&store, &name).await, [1, 2, 3, 4]);
    // All of them.
    let _: () = place.run("DEL", place.of_session("j", &name)).await;
    append(&*claim, 1..=1).await;
    assert_eq!(numbers(&store, &name).await, [1]);
    let _: i64 = place.run("XDEL", (place.of_session("j", &name), "1-0")).await;
    append(&*claim, 1..=2).await;
    assert_eq!(numbers(&store, &name).await, [1, 2]);
}
