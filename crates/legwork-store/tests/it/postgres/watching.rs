//! Tasks that wait for posts of other processes.

use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use legwork_core::inbox::Item;
use legwork_port::Store as _;
use legwork_port::store::Query;

use super::Scratch;
use crate::sample::session;

#[tokio::test]
async fn s8_2_a_post_of_another_process_wakes_those_who_watch() {
    let Some(scratch) = Scratch::new() else { return };
    let (here, elsewhere) = (scratch.store("store"), scratch.store("store"));
    here.sessions(&Query::all()).await.unwrap();
    let (name, other) = (session("s"), session("other"));
    let (mut watched, mut unwatched) = (here.watch(&name).unwrap(), here.watch(&other).unwrap());
    let until = Instant::now() + Duration::from_secs(60);
    let mut number = 0;
    // It may not listen yet when the first is posted.
    while (&mut watched).now_or_never().is_none() {
        assert!(Instant::now() < until, "{number} posts woke nobody");
        number += 1;
        let item = Item::Stop("x".into());
        elsewhere.post(&name, &number.to_string(), &item).await.unwrap();
    }
    assert!((&mut unwatched).now_or_never().is_none());
    // From now on the first one wakes.
    let watched = here.watch(&name).unwrap();
    elsewhere.post(&name, "one more", &Item::Stop("x".into())).await.unwrap();
    tokio::time::timeout(Duration::from_secs(60), watched).await.unwrap();
}

#[tokio::test]
async fn the_connection_that_listens_ends_with_its_store() {
    let Some(scratch) = Scratch::new() else { return };
    let listening = async || {
        let sql = "SELECT 1 FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE 'LISTEN%'";
        scratch.sql(sql).await.len()
    };
    let store = scratch.store("store");
    let until = Instant::now() + Duration::from_secs(60);
    let _watched = store.watch(&session("s")).unwrap();
    drop(store.watch(&session("t")));
    while listening().await != 1 {
        assert!(Instant::now() < until, "{} listen", listening().await);
    }
    drop(store);
    while listening().await != 0 {
        assert!(Instant::now() < until, "it listens on");
    }
}
