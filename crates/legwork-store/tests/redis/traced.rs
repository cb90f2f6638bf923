//! What a subscriber of `tracing` sees of a store.

use legwork_core::Seq;
use legwork_core::inbox::Item;
use legwork_port::Store as _;
use legwork_port::store::Batch;
use legwork_store::redis::Options;

use crate::recorder::Recorder;
use crate::sample::{Place, append, entries, session};

const CRATE: &str = "legwork_store";

/// Bytes of entries as they are written.
fn bytes(range: std::ops::RangeInclusive<u64>) -> usize {
    entries(range).iter().map(|entry| entry.encode().unwrap().len()).sum()
}

/// The address as it is shown.
fn shown(place: &Place) -> String {
    format!("redis://{}", place.address().split_once('@').unwrap().1)
}

#[tokio::test]
async fn the_life_of_a_store_is_a_line_for_each_fact() {
    let Some(place) = Place::shared() else { return };
    let (recorder, _guard) = Recorder::start();
    let (store, name) = (place.store(), session("s"));
    store.post(&name, "a", &Item::Stop("enough".into())).await.unwrap();
    let claim = store.claim(&name).await.unwrap();
    let fence = claim.fence().0;
    append(&*claim, 1..=2).await;
    append(&*claim, 3..=3).await;
    claim.release().await.unwrap();
    store.remove(&[name]).await.unwrap();
    drop(place.open(Options::new().read_only()));

    let address = shown(&place);
    let expected = [
        format!("INFO a store was opened address={address} read_only=false"),
        format!("DEBUG a connection was made address={address} number=1"),
        format!("INFO a layout was created address={address} version=1"),
        "TRACE an item was posted session=s cursor=1".to_owned(),
        format!("DEBUG a claim was taken session=s fence={fence}"),
        format!("TRACE entries were appended session=s entries=2 bytes={}", bytes(1..=2)),
        format!("TRACE entries were appended session=s entries=1 bytes={}", bytes(3..=3)),
        format!("DEBUG a claim was released session=s fence={fence}"),
        "INFO sessions were removed sessions=1".to_owned(),
        format!("INFO a store was opened address={address} read_only=true"),
    ];
    assert_eq!(recorder.lines(CRATE), expected);
    let everything = recorder.everything();
    assert!(!everything.contains("this is entry") && !everything.contains("enough"));
    let password = place.url().split_once('@').unwrap().0.rsplit_once(':').unwrap().1;
    assert!(!everything.contains(password));
}

#[tokio::test]
async fn a_lost_claim_is_a_warning_when_it_is_noticed() {
    let Some(place) = Place::shared() else { return };
    let (store, name) = (place.store(), session("s"));
    let claim = store.claim(&name).await.unwrap();
    let fence = claim.fence().0;
    place.expire(&name).await;
    let other = store.claim(&name).await.unwrap();
    append(&*other, 1..=1).await;
    let (recorder, _guard) = Recorder::start();
    claim.append(Seq(0), Batch::of(&entries(1..=1))).await.unwrap_err();
    claim.renew().await.unwrap_err();
    other.renew().await.unwrap();
    // Another conflict than that of a lost claim.
    other.append(Seq(0), Batch::of(&entries(1..=1))).await.unwrap_err();
    let lost = format!(
        "WARN a claim was lost: the session was claimed or removed since session=s fence={fence}"
    );
    assert_eq!(recorder.lines(CRATE), [lost.clone(), lost]);
}

#[tokio::test]
async fn a_server_that_may_lose_appends_is_a_warning_once() {
    let Some(place) = Place::own() else { return };
    let _: () = place.run("CONFIG", ("SET", "appendfsync", "everysec")).await;
    let (recorder, _guard) = Recorder::start();
    let (store, reader) = (place.store(), place.open(Options::new().read_only()));
    for _ in 0..2 {
        drop(store.claim(&session("s")).await.unwrap());
        reader.is_claimed(&session("s")).await.unwrap();
        let _: i64 = place.run("CLIENT", ("KILL", "TYPE", "normal", "SKIPME", "yes")).await;
    }
    let lines = recorder.lines(CRATE);
    let risk = lines.iter().filter(|line| line.starts_with("WARN the server may lose"));
    let address = shown(&place);
    let wanted = format!(
        "WARN the server may lose what was written address={address} risk=a crash of its machine \
         may lose the last second: set `appendfsync always`"
    );
    assert_eq!(risk.collect::<Vec<_>>(), [&wanted], "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("WARN a connection broke")), "{lines:?}");
}
