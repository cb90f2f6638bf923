//! What is found when a store is first used.

use std::time::Duration;

use futures_util::future::join_all;
use legwork_port::Store as _;
use legwork_port::store::{Error, Query, Range};
use legwork_store::postgres::{Options, Store};

use super::{Scratch, proxy::Proxy};
use crate::child::Child;
use crate::sample::{numbers, session, write};

/// The error of the first use of a store.
async fn first_use(url: &str) -> Error {
    let store = Options::new().patience(Duration::ZERO).open(url).unwrap();
    store.sessions(&Query::all()).await.unwrap_err()
}

/// The password of an address.
fn password(url: &str) -> &str {
    url.split_once("://").unwrap().1.split_once('@').unwrap().0.split_once(':').unwrap().1
}

#[tokio::test]
async fn what_is_wrong_with_an_address_is_said_without_its_password() {
    let Some(scratch) = Scratch::new() else { return };
    let url = scratch.url("store");
    let secret = password(&url).to_owned();
    let nobody_listens = {
        let proxy = Proxy::to(&url).await;
        proxy.url(&url)
    };
    for (url, expected) in [
        (
            url.replace(&secret, "wr0ng"),
            "password authentication failed for user \"legwork\"; check",
        ),
        (url.replace("/test_", "/no_test_"), "does not exist; create it, or name another one"),
        (url.replace("legwork:", "stranger:"), "password authentication failed for user \"strang"),
        (nobody_listens, "the server cannot be reached (Connection refused"),
        (url.replace("127.0.0.1", "no.such.host.invalid"), "the server cannot be reached ("),
    ] {
        let error = first_use(&url).await;
        let text = format!("{error} {error:?}");
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains(&secret) && !text.contains("wr0ng"), "{text}");
    }
    let store = scratch.store("store");
    assert!(!format!("{store:?}").contains(&secret), "{store:?}");
}

#[tokio::test]
async fn stores_that_are_made_at_once_are_one() {
    let Some(scratch) = Scratch::new() else { return };
    for _ in 0..5 {
        let schema = scratch.new_schema();
        let post = async |number: usize| {
            let (store, item) =
                (scratch.store(&schema), legwork_core::inbox::Item::Stop("x".into()));
            store.post(&session("s"), &number.to_string(), &item).await.unwrap();
        };
        join_all((0..6).map(post)).await;
        let posted = scratch.store(&schema).inbox(&session("s"), <_>::default()).await.unwrap();
        assert_eq!(posted.len(), 6);
    }
}

#[tokio::test]
async fn processes_that_make_one_store_at_once_share_it() {
    let Some(scratch) = Scratch::new() else { return };
    for _ in 0..3 {
        let url = scratch.url(&scratch.new_schema());
        let mut children = [0; 3].map(|_| Child::start("postgres open", url.as_ref()));
        for child in &mut children {
            assert_eq!(child.next_line().unwrap(), "ready");
        }
        children.iter_mut().for_each(Child::go);
        for mut child in children {
            assert_eq!(child.next_line().unwrap(), "opened");
            child.ends();
        }
        let store = Store::open(&url).unwrap();
        assert_eq!(store.inbox(&session("s"), <_>::default()).await.unwrap().len(), 3);
    }
}

#[tokio::test]
async fn s8_5_a_store_of_a_newer_version_is_left_alone() {
    let Some(scratch) = Scratch::new() else { return };
    write(&scratch.store("store"), &session("s"), &[1..=2]).await;
    scratch.sql("UPDATE store.legwork SET version = version + 1").await;
    let error = first_use(&scratch.url("store")).await;
    assert!(matches!(error, Error::Newer { found: 2, known: 1, .. }), "{error}");
    scratch.sql("UPDATE store.legwork SET version = version - 1").await;
    assert_eq!(numbers(&scratch.store("store"), &session("s")).await, [1, 2]);
}

#[tokio::test]
async fn tables_of_something_else_are_left_alone() {
    let Some(scratch) = Scratch::new() else { return };
    scratch.sql("CREATE SCHEMA diary; CREATE TABLE diary.session (page text)").await;
    let error = first_use(&scratch.url("diary")).await;
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("has tables of something else"), "{error}");
    let tables = scratch.sql("SELECT 1 FROM pg_tables WHERE schemaname = 'diary'").await;
    assert_eq!(tables.len(), 1);
    // Other tables are no obstacle.
    scratch.sql("CREATE SCHEMA notes; CREATE TABLE notes.page (text text)").await;
    write(&scratch.store("notes"), &session("s"), &[1..=1]).await;
}

#[tokio::test]
async fn a_store_that_is_only_read_is_not_made_or_changed() {
    let Some(scratch) = Scratch::new() else { return };
    let read_only = || Options::new().read_only().open(&scratch.url("store")).unwrap();
    let error = read_only().sessions(&Query::all()).await.unwrap_err();
    assert!(error.to_string().contains("reading makes none"), "{error}");
    assert!(scratch.sql("SELECT 1 FROM pg_namespace WHERE nspname = 'store'").await.is_empty());
    write(&scratch.store("store"), &session("s"), &[1..=2]).await;
    let store = read_only();
    assert_eq!(numbers(&store, &session("s")).await, [1, 2]);
    let name = session("s");
    let item = legwork_core::inbox::Item::Stop("x".into());
    for error in [
        store.claim(&name).await.map(drop).unwrap_err(),
        store.post(&name, "key", &item).await.map(drop).unwrap_err(),
        store.remove(&[name]).await.map(drop).unwrap_err(),
    ] {
        assert!(error.to_string().contains("it can only be read"), "{error}");
    }
}

/// A user who may read the tables needs no other right to read the store.
#[tokio::test]
async fn a_user_who_may_only_read_can_read() {
    let Some(scratch) = Scratch::new() else { return };
    write(&scratch.store("store"), &session("s"), &[1..=2]).await;
    let user = format!("reader_{}", std::process::id());
    scratch
        .sql(&format!(
            "DROP ROLE IF EXISTS {user}; CREATE ROLE {user} LOGIN PASSWORD 'pass';
            GRANT USAGE ON SCHEMA store TO {user}; GRANT SELECT ON ALL TABLES IN SCHEMA store TO {user}"
        ))
        .await;
    let url = scratch.url("store");
    let url = url.replace(&format!("legwork:{}", password(&url)), &format!("{user}:pass"));
    let store = Store::open(&url).unwrap();
    assert_eq!(numbers(&store, &session("s")).await, [1, 2]);
    let error = store.claim(&session("s")).await.err().unwrap();
    assert!(error.to_string().contains("permission denied"), "{error}");
    scratch.sql(&format!("DROP OWNED BY {user}; DROP ROLE {user}")).await;
}

#[test]
fn outside_of_a_runtime_it_says_so() {
    let store = Store::open("postgres://nobody@127.0.0.1:1/none").unwrap();
    let read = futures_util::FutureExt::now_or_never(store.read(&session("s"), Range::ALL));
    let error = read.unwrap().unwrap_err();
    assert!(error.to_string().contains("outside of a runtime of tokio's"), "{error}");
    let claim = futures_util::FutureExt::now_or_never(store.claim(&session("s")));
    assert!(claim.unwrap().is_err());
}
