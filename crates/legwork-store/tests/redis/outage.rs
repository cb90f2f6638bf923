//! Connections that break, and servers that are away.

use std::time::Duration;

use legwork_core::inbox::{Cursor, Item};
use legwork_core::{Seq, Summary};
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error, Query, Removal};
use legwork_store::redis::{Options, Store};

use crate::proxy::{Proxy, Way};
use crate::sample::{Place, append, entries, numbers, session, until, write};

fn note() -> Item {
    Item::Stop("enough".into())
}

/// A store behind a proxy, which is connected already.
async fn behind(proxy: &Proxy, place: &Place, options: Options) -> Store {
    let address = place.address().replace(place.url(), proxy.url());
    let store = options.open(&address).unwrap();
    store.sessions(&Query::all()).await.unwrap();
    store
}

#[tokio::test]
async fn s8_3_what_was_asked_when_the_connection_broke_is_done_once() {
    let Some(place) = Place::shared() else { return };
    let (proxy, plain) = (Proxy::to(place.url()).await, place.store());
    let store = behind(&proxy, &place, Options::new()).await;
    for (round, way) in [Way::LosesAnswer, Way::LosesRequest].into_iter().enumerate() {
        let name = session(&format!("broken {round}"));
        proxy.set(way);
        let claim = store.claim(&name).await.unwrap();
        proxy.assert_open();
        assert!(matches!(plain.claim(&name).await, Err(Error::Held { .. })));
        for seq in [1, 4] {
            proxy.set(way);
            append(&*claim, seq..=seq + 2).await;
            proxy.assert_open();
        }
        proxy.set(way);
        claim.renew().await.unwrap();
        proxy.set(way);
        assert_eq!(store.post(&name, "key", &note()).await.unwrap(), Cursor(1));
        proxy.set(way);
        assert_eq!(numbers(&store, &name).await, [1, 2, 3, 4, 5, 6]);
        proxy.set(way);
        claim.release().await.unwrap();
        proxy.assert_open();
        drop(plain.claim(&name).await.unwrap());
        assert_eq!(plain.inbox(&name, Cursor(0)).await.unwrap().len(), 1);
        until(async || (!plain.is_claimed(&name).await.unwrap()?).then_some(())).await;
        proxy.set(way);
        let removal = store.remove(std::slice::from_ref(&name)).await.unwrap();
        assert!(matches!(removal, Removal::Traces(_)), "{removal:?}");
        proxy.assert_open();
        assert!(numbers(&plain, &name).await.is_empty());
    }
}

#[tokio::test]
async fn s8_3_an_append_in_doubt_is_an_error_that_says_so() {
    let Some(place) = Place::shared() else { return };
    let proxy = Proxy::to(place.url()).await;
    let options = Options::new().patience(Duration::from_millis(200));
    let store = behind(&proxy, &place, options).await;
    let name = session("s");
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, 1..=1).await;
    proxy.set(Way::EndsBeforeAnswer);
    let error = claim.append(Seq(1), Batch::of(&entries(2..=3))).await.unwrap_err();
    assert!(matches!(error, Error::Failed { .. }) && error.is_retryable(), "{error}");
    assert!(error.to_string().contains("whether anything was written is not known"), "{error}");
    // Nothing is in doubt of what was not sent, or does not write.
    let error = claim.append(Seq(1), Batch::of(&entries(2..=3))).await.unwrap_err();
    assert!(error.to_string().contains("it cannot be reached"), "{error}");
    let error = store.sessions(&Query::all()).await.unwrap_err();
    assert!(error.to_string().contains("it cannot be reached"), "{error}");
    proxy.set(Way::Open);
    assert_eq!(numbers(&store, &name).await, [1, 2, 3]);
    proxy.set(Way::EndsBeforeAnswer);
    let error = store.sessions(&Query::all()).await.unwrap_err();
    assert!(!error.to_string().contains("written"), "{error}");
    proxy.set(Way::Open);
    let again = claim.append(Seq(1), Batch::of(&entries(2..=3))).await;
    assert!(matches!(again, Err(Error::Moved { found: Seq(3), .. })), "{again:?}");
    append(&*claim, 4..=4).await;
    assert_eq!(numbers(&store, &name).await, [1, 2, 3, 4]);
}

#[tokio::test]
async fn s8_3_a_claim_that_was_taken_over_while_an_append_was_in_doubt_writes_nothing_more() {
    let Some(place) = Place::own() else { return };
    let (proxy, plain) = (Proxy::to(place.url()).await, place.store());
    let store = behind(&proxy, &place, Options::new().patience(Duration::from_secs(60))).await;
    let name = session("s");
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, 1..=1).await;
    proxy.set(Way::Closed);
    // The connection that is open is closed with the next request.
    let _: i64 = place.run("CLIENT", ("KILL", "TYPE", "normal", "SKIPME", "yes")).await;
    let late = entries(2..=2);
    let appending = claim.append(Seq(1), Batch::of(&late));
    let takes_over = async {
        place.expire(&name).await;
        let new = plain.claim(&name).await.unwrap();
        append(&*new, 2..=3).await;
        proxy.set(Way::Open);
        new
    };
    let (lost, new) = futures_util::future::join(appending, takes_over).await;
    assert!(matches!(lost, Err(Error::Lost { .. })), "{lost:?}");
    append(&*new, 4..=4).await;
    assert_eq!(numbers(&plain, &name).await, [1, 2, 3, 4]);
}

#[tokio::test]
async fn s8_3_an_append_in_doubt_stays_so_when_the_server_comes_back_as_a_replica() {
    let Some(place) = Place::own() else { return };
    let proxy = Proxy::to(place.url()).await;
    let store = behind(&proxy, &place, Options::new().patience(Duration::from_secs(60))).await;
    let name = session("s");
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, 1..=1).await;
    proxy.set(Way::EndsBeforeAnswer);
    let entry = entries(2..=2);
    let appending = claim.append(Seq(1), Batch::of(&entry));
    let fails_over = async {
        let plain = place.store();
        until(async || (numbers(&plain, &name).await == [1, 2]).then_some(())).await;
        let _: () = place.run("REPLICAOF", ("127.0.0.1", "1")).await;
        proxy.set(Way::Open);
    };
    let (appended, ()) = futures_util::future::join(appending, fails_over).await;
    let error = appended.unwrap_err();
    assert!(matches!(error, Error::Failed { .. }), "{error}");
    assert!(error.to_string().contains("whether anything was written is not known"), "{error}");
    assert!(error.to_string().contains("it is a replica"), "{error}");
}

/// A request that the network still had when the connection broke may come to the server later
/// than all that was asked since.
#[tokio::test]
async fn s8_3_a_request_that_comes_late_changes_nothing() {
    let Some(place) = Place::shared() else { return };
    let proxy = Proxy::to(place.url()).await;
    let (store, name) = (behind(&proxy, &place, Options::new()).await, session("s"));
    let title = |title: &str| {
        let mut summary = Summary::default();
        summary.title = title.to_owned();
        summary
    };
    let is_claimed = async || store.is_claimed(&name).await.unwrap().unwrap();

    proxy.set(Way::DelaysRequest);
    let claim = store.claim(&name).await.unwrap();
    append(&*claim, 1..=1).await;
    claim.release().await.unwrap();
    proxy.deliver().await;
    assert!(!is_claimed().await, "a claim that came late holds the session");

    let claim = store.claim(&name).await.unwrap();
    proxy.set(Way::DelaysRequest);
    append(&*claim, 2..=3).await;
    append(&*claim, 4..=4).await;
    proxy.deliver().await;
    assert_eq!(numbers(&store, &name).await, [1, 2, 3, 4]);

    let (old, new) = (title("old"), title("new"));
    proxy.set(Way::DelaysRequest);
    claim.append(Seq(4), Batch::of(&[]).with_summary(&old)).await.unwrap();
    claim.append(Seq(4), Batch::of(&[]).with_summary(&new)).await.unwrap();
    proxy.deliver().await;
    assert_eq!(store.sessions(&Query::all()).await.unwrap().sessions[0].summary, new);

    proxy.set(Way::DelaysRequest);
    claim.renew().await.unwrap();
    claim.release().await.unwrap();
    proxy.deliver().await;
    assert!(!is_claimed().await, "a renewal that came late holds the session");

    let claim = store.claim(&name).await.unwrap();
    proxy.set(Way::DelaysRequest);
    claim.release().await.unwrap();
    let claim = store.claim(&name).await.unwrap();
    proxy.deliver().await;
    assert!(is_claimed().await, "a release that came late freed the session");
    claim.release().await.unwrap();

    proxy.set(Way::DelaysRequest);
    store.post(&name, "one", &note()).await.unwrap();
    store.post(&name, "two", &note()).await.unwrap();
    proxy.deliver().await;
    assert_eq!(store.inbox(&name, Cursor(0)).await.unwrap().len(), 2);

    proxy.set(Way::DelaysRequest);
    store.remove(std::slice::from_ref(&name)).await.unwrap();
    write(&store, &name, &[1..=2]).await;
    proxy.deliver().await;
    assert_eq!(numbers(&store, &name).await, [1, 2]);
}

/// Each runtime has its own connection, for a connection ends with its runtime.
#[test]
fn a_store_goes_on_in_another_runtime() {
    let Some(place) = Place::shared() else { return };
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (store, name) = (place.store(), session("s"));
    let claim = runtime().block_on(store.claim(&name)).unwrap();
    for seq in 1..=3 {
        runtime().block_on(append(&*claim, seq..=seq));
    }
    runtime().block_on(claim.release()).unwrap();
    assert_eq!(runtime().block_on(numbers(&store, &name)), [1, 2, 3]);
}
