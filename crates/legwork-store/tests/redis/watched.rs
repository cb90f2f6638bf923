//! Watching sessions that other processes change.

use futures_util::FutureExt as _;
use legwork_core::SessionId;
use legwork_core::inbox::Item;
use legwork_port::Store as _;
use legwork_store::redis::Store;

use crate::sample::{Place, session, until};

/// Posts until somebody who watches through another handle wakes up.
async fn wakes(watching: &Store, posting: &Store, name: &SessionId, what: &str) {
    let mut changed = watching.watch(name).unwrap();
    let mut posts = 0;
    until(async || {
        posts += 1;
        let key = format!("{what} {posts}");
        posting.post(name, &key, &Item::Stop("enough".into())).await.unwrap();
        (&mut changed).now_or_never()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s8_2_a_change_of_another_handle_wakes_watchers() {
    let Some(mut place) = Place::own() else { return };
    let (watching, posting) = (place.store(), place.store());
    let (name, other) = (session("s"), session("other"));
    let mut unchanged = watching.watch(&other).unwrap();
    wakes(&watching, &posting, &name, "first").await;
    place.server().kill().unwrap();
    place.server().restart().unwrap();
    wakes(&watching, &posting, &name, "second").await;
    assert!((&mut unchanged).now_or_never().is_none());
}
