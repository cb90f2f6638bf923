//! Servers that cannot be used, and what is said of them.

use legwork_core::inbox::{Cursor, Item};
use legwork_port::Store as _;
use legwork_port::store::{Error, Query, Range};
use legwork_store::redis::{self, Options, Store};

use crate::sample::{Place, append, numbers, session, write};

/// What a store says when it is used for the first time.
async fn refusal(address: &str) -> Error {
    let store = Store::open(address).unwrap();
    let error = store.sessions(&Query::all()).await.unwrap_err();
    let shown = format!("{store:?} {error} {error:?}");
    if let Some((user, _)) = address.split_once('@') {
        let password = user.rsplit_once(':').unwrap().1;
        assert!(!shown.contains(password), "{shown}");
    }
    error
}

/// The address of the store without its user.
fn server(place: &Place) -> String {
    place.address().split_once('@').unwrap().1.to_owned()
}

#[tokio::test]
async fn a_wrong_password_or_port_is_said_so() {
    let Some(place) = Place::shared() else { return };
    let (user, server) = place.url().split_once('@').unwrap();
    let plain = format!("redis://{server}");
    let error = refusal(&plain).await;
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("it wants a password"), "{error}");
    for user in ["redis://:wrong-secret", "redis://nobody:wrong-secret"] {
        let error = refusal(&format!("{user}@{server}")).await;
        assert!(matches!(error, Error::Unusable { .. }), "{error}");
        let wanted = "it refused the user name or the password of the address";
        assert!(error.to_string().contains(wanted), "{error}");
        assert!(error.to_string().contains(&format!("the store {plain} cannot")), "{error}");
    }
    // Nothing listens there any more.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = refusal(&format!("{user}@{free}/0")).await;
    assert!(matches!(error, Error::Failed { .. }), "{error}");
    assert!(error.to_string().contains(&format!("redis://{free}/0 failed: listing")), "{error}");
    assert!(error.to_string().contains("it cannot be reached (Connection refused"), "{error}");
    let error = refusal(&place.url().replace("/0", "/999")).await;
    assert!(error.to_string().contains("/999 failed"), "{error}");
}

#[tokio::test]
async fn s8_5_a_store_of_a_newer_version_is_left_alone() {
    let Some(place) = Place::shared() else { return };
    let (connected, name) = (place.store(), session("s"));
    write(&connected, &name, &[1..=2]).await;
    let claim = connected.claim(&name).await.unwrap();
    let newer = redis::VERSION + 1;
    let _: () = place.run("SET", (place.key("version"), newer)).await;
    let before = place.keys().await;
    let item = Item::Stop("enough".into());
    for store in [place.store(), connected.clone()] {
        for error in [
            store.claim(&session("t")).await.err(),
            store.post(&name, "key", &item).await.err(),
            store.remove(std::slice::from_ref(&name)).await.err(),
        ] {
            let error = error.unwrap();
            assert!(matches!(error, Error::Newer { found: 2, known: 1, .. }), "{error}");
            assert!(error.to_string().contains("use a newer Legwork"), "{error}");
        }
    }
    let read = place.store().read(&name, Range::ALL).await.unwrap_err();
    assert!(matches!(read, Error::Newer { .. }), "{read}");
    assert_eq!(place.keys().await, before);
    let _: () = place.run("SET", (place.key("version"), "a page of a diary")).await;
    let error = place.store().claim(&name).await.err().unwrap();
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("choose another prefix"), "{error}");
    let _: () = place.run("SET", (place.key("version"), redis::VERSION)).await;
    append(&*claim, 3..=3).await;
}

#[tokio::test]
async fn keys_of_something_else_are_left_alone() {
    let Some(place) = Place::shared() else { return };
    let (store, name) = (place.store(), session("s"));
    for (kind, key) in [("j", "journal"), ("s", "session"), ("i", "inbox")] {
        let key = (place.of_session(kind, &name), key);
        let _: () = place.run("SET", &key).await;
    }
    let error = store.claim(&name).await.err().unwrap();
    assert!(error.to_string().contains("a key of the store holds something else"), "{error}");
    let _: () = place.run("DEL", place.of_session("s", &name)).await;
    let item = Item::Stop("enough".into());
    let error = store.post(&name, "key", &item).await.unwrap_err();
    assert!(error.to_string().contains("a key of the store holds something else"), "{error}");
    let claim = store.claim(&name).await.unwrap();
    let entries = crate::sample::entries(1..=1);
    let batch = legwork_port::store::Batch::of(&entries);
    let error = claim.append(legwork_core::Seq(0), batch).await.unwrap_err();
    assert!(error.to_string().contains("a key of the store holds something else"), "{error}");
    // Nothing of it was written.
    assert!(store.sessions(&Query::all()).await.unwrap().sessions.is_empty());
    let last: Option<u64> = place.run("HGET", (place.of_session("s", &name), "last")).await;
    assert_eq!(last, None);
}

#[tokio::test]
async fn a_replica_can_be_read() {
    let Some(place) = Place::own() else { return };
    let (store, name) = (place.store(), session("s"));
    write(&store, &name, &[1..=2]).await;
    let _: () = place.run("REPLICAOF", ("127.0.0.1", "1")).await;
    let error = store.claim(&name).await.err().unwrap();
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("it is a replica, which can only be read"), "{error}");
    assert_eq!(numbers(&store, &name).await, [1, 2]);
    assert_eq!(store.sessions(&Query::all()).await.unwrap().sessions.len(), 1);
    assert_eq!(store.is_claimed(&name).await.unwrap(), Some(false));
    let _: () = place.run("REPLICAOF", ("NO", "ONE")).await;
    drop(store.claim(&name).await.unwrap());
}

#[tokio::test]
async fn s8_6_a_server_that_may_lose_appends_is_refused_if_that_is_asked_for() {
    let Some(place) = Place::own() else { return };
    let required = format!("{}&durable=require", place.address());
    let name = session("s");
    drop(Store::open(&required).unwrap().claim(&name).await.unwrap());
    for (setting, value, wanted) in [
        ("appendfsync", "everysec", "a crash of its machine may lose the last second"),
        ("appendonly", "no", "a crash may lose everything since its last snapshot"),
        ("maxmemory-policy", "allkeys-lru", "it deletes keys when its memory is full"),
    ] {
        let _: () = place.run("CONFIG", ("SET", setting, value)).await;
        let error = Store::open(&required).unwrap().claim(&name).await.err().unwrap();
        assert!(matches!(error, Error::Unusable { .. }), "{error}");
        assert!(error.to_string().contains(wanted), "{error}");
    }
    let store = place.open(Options::new().require_durable());
    assert!(matches!(store.claim(&name).await.err(), Some(Error::Unusable { .. })));
    drop(place.store().claim(&name).await.unwrap());
}

#[tokio::test]
async fn a_user_may_need_no_more_than_its_own_keys() {
    let Some(place) = Place::own() else { return };
    let rules =
        ("SETUSER", "clerk", "on", ">secret", "+@all", "-@admin", "-@dangerous", "resetkeys");
    let _: () = place.run("ACL", rules).await;
    let keys = format!("~{}", place.key("*"));
    let _: () = place.run("ACL", ("SETUSER", "clerk", keys, "resetchannels")).await;
    let server = server(&place);
    let store = Store::open(&format!("redis://clerk:secret@{server}")).unwrap();
    // It may publish nothing and ask for no settings.
    write(&store, &session("s"), &[1..=3]).await;
    store.post(&session("s"), "key", &Item::Stop("enough".into())).await.unwrap();
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3]);
    let required = format!("redis://clerk:secret@{server}&durable=require");
    let error = refusal(&required).await;
    assert!(error.to_string().contains("it does not tell how durable it is"), "{error}");
    let other = server.split_once('?').unwrap().0;
    let store = Store::open(&format!("redis://clerk:secret@{other}?prefix=other")).unwrap();
    let error = store.claim(&session("s")).await.err().unwrap();
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("its user "), "{error}");
}

/// A script that is refused a command in its middle would leave what it wrote before.
#[tokio::test]
async fn a_user_who_may_not_run_all_commands_is_refused_before_anything_is_written() {
    let Some(place) = Place::own() else { return };
    let keys = format!("~{}", place.key("*"));
    let rules = ("SETUSER", "clerk", "on", ">secret", keys, "+@all", "-zadd", "-xsetid");
    let _: () = place.run("ACL", rules).await;
    let server = server(&place);
    let address = format!("redis://clerk:secret@{server}");
    let error = Store::open(&address).unwrap().claim(&session("s")).await.err().unwrap();
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
    assert!(error.to_string().contains("its user may not run XSETID, ZADD"), "{error}");
    assert!(place.keys().await.is_empty());
    let reader = Options::new().read_only().open(&address).unwrap();
    assert!(reader.sessions(&Query::all()).await.unwrap().sessions.is_empty());
}

#[tokio::test]
async fn two_prefixes_do_not_see_each_other() {
    let Some(place) = Place::shared() else { return };
    let one = place.store();
    let two = Store::open(&format!("{}.two", place.address())).unwrap();
    let (name, item) = (session("s"), Item::Stop("enough".into()));
    write(&one, &name, &[1..=3]).await;
    one.post(&name, "key", &item).await.unwrap();
    let _held = one.claim(&name).await.unwrap();
    assert!(two.sessions(&Query::all()).await.unwrap().sessions.is_empty());
    assert!(numbers(&two, &name).await.is_empty());
    assert!(two.inbox(&name, Cursor(0)).await.unwrap().is_empty());
    write(&two, &name, &[1..=1]).await;
    two.remove(std::slice::from_ref(&name)).await.unwrap();
    assert_eq!(numbers(&one, &name).await, [1, 2, 3]);
}

#[tokio::test]
async fn a_store_for_reading_writes_nothing() {
    let Some(place) = Place::shared() else { return };
    let (store, name) = (place.open(Options::new().read_only()), session("s"));
    let item = Item::Stop("enough".into());
    assert!(numbers(&store, &name).await.is_empty());
    assert!(store.sessions(&Query::all()).await.unwrap().sessions.is_empty());
    for error in [
        store.claim(&name).await.err(),
        store.post(&name, "key", &item).await.err(),
        store.remove(std::slice::from_ref(&name)).await.err(),
    ] {
        let error = error.unwrap();
        assert!(matches!(error, Error::Unusable { .. }), "{error}");
        assert!(error.to_string().contains("it was opened for reading only"), "{error}");
    }
    assert!(place.keys().await.is_empty());
    write(&place.store(), &name, &[1..=2]).await;
    assert_eq!(numbers(&store, &name).await, [1, 2]);
}
