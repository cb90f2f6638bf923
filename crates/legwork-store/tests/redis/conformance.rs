//! The suite that every store passes.

use std::sync::atomic::{AtomicU32, Ordering};

use legwork_core::SessionId;
use legwork_store::redis::Store;
use legwork_testkit::conformance::store::{
    check, check_fencing, check_listing, check_shared, check_unreadable,
};
use redis::pipe;

use crate::sample::Place;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_keeps_the_promises_of_the_port() {
    let Some(place) = Place::shared() else { return };
    let next = AtomicU32::new(0);
    let make = async || {
        let number = next.fetch_add(1, Ordering::SeqCst);
        Store::open(&format!("{}.{number}", place.address())).unwrap()
    };
    check(make).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn redis_keeps_them_on_one_thread() {
    let Some(place) = Place::shared() else { return };
    let next = AtomicU32::new(0);
    let make = async || {
        let number = next.fetch_add(1, Ordering::SeqCst);
        Store::open(&format!("{}.{number}", place.address())).unwrap()
    };
    check(make).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn redis_keeps_them_across_handles() {
    let Some(place) = Place::shared() else { return };
    check_shared(async || place.store()).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn redis_refuses_the_holder_of_a_lost_claim() {
    let Some(place) = Place::shared() else { return };
    let lose = async |session: SessionId| place.expire(&session).await;
    let result = check_fencing(async || place.store(), lose).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn s8_7_redis_lists_without_reading_a_journal() {
    let Some(place) = Place::shared() else { return };
    let overwrite = async |session: SessionId| {
        let journal = place.of_session("j", &session);
        let entries: Vec<(String, Vec<Vec<u8>>)> = place.run("XRANGE", (&journal, "-", "+")).await;
        assert!(!entries.is_empty());
        let _: () = place.run("DEL", &journal).await;
        for (id, fields) in entries {
            let zeros = vec![0_u8; fields[1].len()];
            let _: String = place.run("XADD", (&journal, id, "e", zeros)).await;
        }
    };
    let result = check_listing(async || place.store(), overwrite).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn s8_4_redis_keeps_what_it_cannot_read() {
    let Some(place) = Place::shared() else { return };
    let client = place.client().await;
    let next = AtomicU32::new(0);
    let make = async || {
        // A hundred names are used by several checks.
        for key in place.keys().await {
            let _: i64 = place.run("DEL", key).await;
        }
        next.fetch_add(1, Ordering::SeqCst);
        place.store()
    };
    let plant = async |_: &Store, session: &SessionId, lines: &[Vec<u8>]| {
        let mut plant = pipe();
        let digits = format!("{:020}", 1);
        for (seq, line) in (1..).zip(lines) {
            let id = format!("{seq}-0");
            plant.cmd("XADD").arg(place.of_session("j", session)).arg(id).arg("e").arg(line);
        }
        plant.cmd("HSET").arg(place.of_session("s", session)).arg("last").arg(lines.len());
        plant.arg("created").arg(&digits).arg("updated").arg(&digits);
        plant.cmd("ZADD").arg(place.key("listed")).arg(0).arg(format!("{digits}{session}"));
        plant.exec_async(&mut client.clone()).await.unwrap();
    };
    let bytes = async |_: &Store, session: &SessionId| {
        let journal = place.of_session("j", session);
        let entries: Vec<(String, Vec<Vec<u8>>)> = place.run("XRANGE", (&journal, "-", "+")).await;
        entries.into_iter().flat_map(|(_, fields)| fields).collect::<Vec<_>>().concat()
    };
    let result = check_unreadable(make, plant, bytes).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}
