//! Connections that break, and a server that is killed.

use std::time::Duration;

use legwork_core::Seq;
use legwork_core::inbox::{Cursor, Item};
use legwork_port::store::{Batch, Error, Query, Range, Removal};
use legwork_port::{Claim, Store as _};
use legwork_store::postgres::{Options, Store};
use legwork_testkit::servers::Postgres;

use super::proxy::{Cut, Proxy};
use super::{LONG, Scratch};
use crate::sample::{append, entries, numbers, session};

/// A store through a proxy, and a session in it that one entry was appended to: what follows uses
/// the same connection and statement.
async fn through(scratch: &Scratch) -> (Proxy, Store, Box<dyn Claim>) {
    let url = scratch.url("store");
    let proxy = Proxy::to(&url).await;
    let store = Options::new().lease(LONG).open(&proxy.url(&url)).unwrap();
    let claim = store.claim(&session("s")).await.unwrap();
    append(&*claim, 1..=1).await;
    (proxy, store, claim)
}

#[tokio::test]
async fn s8_2_an_append_whose_answer_is_lost_happens_once() {
    let Some(scratch) = Scratch::new() else { return };
    for cut in [Cut::Before, Cut::After] {
        scratch.sql("DROP SCHEMA IF EXISTS store CASCADE").await;
        let (proxy, store, claim) = through(&scratch).await;
        proxy.cut(cut);
        append(&*claim, 2..=4).await;
        assert!(proxy.has_cut(), "{cut:?}");
        assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3, 4], "{cut:?}");
        append(&*claim, 5..=5).await;
        assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3, 4, 5], "{cut:?}");
    }
}

#[tokio::test]
async fn a_refusal_whose_answer_is_lost_is_the_same_one() {
    let Some(scratch) = Scratch::new() else { return };
    let (proxy, store, claim) = through(&scratch).await;
    proxy.cut(Cut::After);
    let moved = claim.append(Seq(0), Batch::of(&entries(1..=1))).await;
    // What it would append is there, byte for byte: whoever appended it, it happened.
    assert!(moved.is_ok(), "{moved:?}");
    proxy.cut(Cut::After);
    let moved = claim.append(Seq(0), Batch::of(&entries(1..=2))).await;
    assert!(matches!(moved, Err(Error::Moved { found: Seq(1), .. })), "{moved:?}");
    assert_eq!(numbers(&store, &session("s")).await, [1]);
}

#[tokio::test]
async fn what_is_asked_over_a_connection_that_breaks_is_asked_again() {
    let Some(scratch) = Scratch::new() else { return };
    let (proxy, store, claim) = through(&scratch).await;
    let (name, item) = (session("s"), Item::Stop("enough".into()));
    store.post(&name, "warm", &item).await.unwrap();
    drop(store.claim(&session("other")).await.unwrap());
    for cut in [Cut::Before, Cut::After] {
        let key = format!("{cut:?}");
        let posted = store.inbox(&name, Cursor(0)).await.unwrap().len() as u64;
        proxy.cut(cut);
        assert_eq!(store.post(&name, &key, &item).await.unwrap(), Cursor(posted + 1));
        proxy.cut(cut);
        assert_eq!(store.inbox(&name, Cursor(posted)).await.unwrap().len(), 1);
        proxy.cut(cut);
        assert_eq!(store.read(&name, Range::ALL).await.unwrap().journal.version(), Seq(1));
        proxy.cut(cut);
        assert_eq!(store.sessions(&Query::all()).await.unwrap().sessions.len(), 1);
        proxy.cut(cut);
        assert_eq!(store.is_claimed(&name).await.unwrap(), Some(true));
        proxy.cut(cut);
        claim.renew().await.unwrap();
        proxy.cut(cut);
        // It is its own holder if the first attempt succeeded.
        let other = store.claim(&session("other")).await.unwrap();
        append(&*other, 1..=1).await;
        proxy.cut(cut);
        other.release().await.unwrap();
        proxy.cut(cut);
        let removed = store.remove(&[session("other")]).await.unwrap();
        assert!(matches!(removed, Removal::Traces(_)));
        assert!(proxy.has_cut());
    }
}

#[tokio::test]
async fn s8_6_a_removal_whose_answer_is_lost_removed_them() {
    let Some(scratch) = Scratch::new() else { return };
    let (proxy, store, claim) = through(&scratch).await;
    claim.release().await.unwrap();
    proxy.cut(Cut::AfterCommit);
    let removed = store.remove(&[session("s")]).await.unwrap();
    assert!(matches!(removed, Removal::Traces(_)) && proxy.has_cut(), "{removed:?}");
    assert_eq!(numbers(&store, &session("s")).await, [0; 0]);
    // One that never was there is unknown, whatever breaks.
    for cut in [Cut::Before, Cut::After] {
        proxy.cut(cut);
        let unknown = store.remove(&[session("s")]).await.unwrap_err();
        assert!(matches!(unknown, Error::Unknown { .. }) && proxy.has_cut(), "{unknown}");
    }
}

#[tokio::test]
async fn s8_4_a_repair_whose_answer_is_lost_happens_once() {
    let Some(scratch) = Scratch::new() else { return };
    let (proxy, store, claim) = through(&scratch).await;
    append(&*claim, 2..=4).await;
    scratch.sql("UPDATE store.journal SET entries = 'x' WHERE last = 4").await;
    proxy.cut(Cut::AfterCommit);
    append(&*claim, 2..=3).await;
    assert!(proxy.has_cut());
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3]);
    assert_eq!(scratch.sql("SELECT 1 FROM store.cut").await.len(), 1);
}

/// Appends to one session until the server was killed and restarted; each append is to succeed.
async fn work(store: Store, name: String, until: tokio::sync::watch::Receiver<bool>) -> u64 {
    let claim = store.claim(&session(&name)).await.unwrap();
    let mut last = 0;
    while !*until.borrow() {
        append(&*claim, last + 1..=last + 2).await;
        last += 2;
        let item = Item::Stop("x".into());
        store.post(&session(&name), &last.to_string(), &item).await.unwrap();
    }
    last
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s8_2_a_server_that_is_killed_loses_no_append_and_doubles_none() {
    let Some(mut server) = Postgres::start().unwrap() else { return };
    let options = Options::new().lease(LONG).patience(Duration::from_secs(60));
    let store = options.open(&server.url()).unwrap();
    let (end, until) = tokio::sync::watch::channel(false);
    let workers: Vec<_> = (0..8)
        .map(|number| tokio::spawn(work(store.clone(), format!("s{number}"), until.clone())))
        .collect();
    for round in 1..=3 {
        // In the middle of the work.
        let enough = async || {
            let listed = store.sessions(&Query::all()).await.unwrap().sessions;
            listed.len() == 8 && listed.iter().all(|info| info.entries >= round * 20)
        };
        while !enough().await {
            tokio::task::yield_now().await;
        }
        server.kill().unwrap();
        server.restart().unwrap();
    }
    end.send(true).unwrap();
    for (number, worker) in workers.into_iter().enumerate() {
        let last = worker.await.unwrap();
        let name = session(&format!("s{number}"));
        let loaded = store.read(&name, Range::ALL).await.unwrap();
        assert_eq!((loaded.damage, loaded.unreadable), (None, None));
        assert_eq!(loaded.journal.entries(), entries(1..=last));
        let posted = store.inbox(&name, Cursor(0)).await.unwrap();
        assert_eq!(posted.len() as u64, last / 2);
    }
}

#[tokio::test]
async fn a_server_that_stays_away_is_an_error_that_passes() {
    let Some(mut server) = Postgres::start().unwrap() else { return };
    let options = Options::new().lease(LONG).patience(Duration::from_millis(200));
    let store = options.open(&server.url()).unwrap();
    let claim = store.claim(&session("s")).await.unwrap();
    append(&*claim, 1..=1).await;
    server.shut_down().unwrap();
    let error = claim.append(Seq(1), Batch::of(&entries(2..=2))).await.unwrap_err();
    assert!(matches!(error, Error::Failed { .. }) && error.is_retryable(), "{error}");
    assert!(error.to_string().contains("the server cannot be reached"), "{error}");
    assert!(error.to_string().contains("not known whether that was written"), "{error}");
    let password = server.url().split(':').nth(2).unwrap().split('@').next().unwrap().to_owned();
    assert!(!error.to_string().contains(&password) && !format!("{error:?}").contains(&password));
    server.restart().unwrap();
    append(&*claim, 2..=2).await;
    assert_eq!(numbers(&store, &session("s")).await, [1, 2]);
}
