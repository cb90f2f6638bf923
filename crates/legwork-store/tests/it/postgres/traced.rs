//! What a subscriber of `tracing` sees of a store.

use legwork_core::Seq;
use legwork_core::inbox::Item;
use legwork_port::Store as _;
use legwork_port::store::Batch;

use super::Scratch;
use crate::recorder::Recorder;
use crate::sample::{append, entries, session};

#[tokio::test]
async fn the_life_of_a_store_is_a_line_for_each_fact() {
    let Some(scratch) = Scratch::new() else { return };
    let (recorder, _guard) = Recorder::start();
    let (store, name) = (scratch.store("traced"), session("s"));
    store.post(&name, "a", &Item::Stop("enough".into())).await.unwrap();
    let claim = store.claim(&name).await.unwrap();
    let fence = claim.fence().0;
    append(&*claim, 1..=2).await;
    let bytes = entries(1..=2).iter().map(|it| it.encode().unwrap().len() + 1).sum::<usize>() - 1;
    scratch.sql("UPDATE traced.session SET fence = fence + 1").await;
    claim.append(Seq(2), Batch::of(&entries(3..=3))).await.unwrap_err();
    scratch.sql("UPDATE traced.session SET fence = fence - 1").await;
    claim.release().await.unwrap();
    store.remove(&[name]).await.unwrap();
    let url = scratch.url("traced");
    let (scheme, rest) = url.split_once("://").unwrap();
    let (user, place) = rest.split_once('@').unwrap();
    let shown = format!("{scheme}://{}@{place}", user.split(':').next().unwrap());
    let expected = [
        format!("INFO a schema was created store={shown} version=1"),
        format!("INFO a store was opened store={shown} read_only=false"),
        "TRACE an item was posted session=s cursor=1".to_owned(),
        format!("DEBUG a claim was taken session=s fence={fence}"),
        format!("TRACE entries were appended session=s entries=2 bytes={bytes}"),
        format!(
            "WARN a claim was lost: the session was claimed or removed since session=s fence={fence}"
        ),
        format!("DEBUG a claim was released session=s fence={fence}"),
        "INFO sessions were removed sessions=1".to_owned(),
    ];
    let mut lines = recorder.lines("legwork_store");
    // Private servers do not wait for the disk.
    lines.retain(|line| !line.contains("the server may lose appends when it fails"));
    assert_eq!(lines, expected);
    let everything = recorder.everything();
    let password = user.split(':').nth(1).unwrap();
    for secret in ["this is entry", "enough", password] {
        assert!(!everything.contains(secret), "{secret} is in it");
    }
}
