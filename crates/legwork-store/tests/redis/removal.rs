//! What a removal leaves.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use legwork_core::inbox::Item;
use legwork_port::Store as _;
use legwork_port::store::{Error, Range, Removal};

use crate::sample::{Place, entries, said, session, until, write};

/// Whether a file below a folder has these bytes.
fn holds(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().flatten().any(|file| {
        let path = file.path();
        match path.is_dir() {
            true => holds(&path, text),
            // It may have been replaced meanwhile.
            false => fs::read(&path).is_ok_and(|bytes| {
                bytes.windows(text.len()).any(|window| window == text.as_bytes())
            }),
        }
    })
}

#[tokio::test]
async fn s8_6_what_is_said_of_traces_is_true() {
    const SECRET: &str = "nothing of this remains";
    let Some(place) = Place::own() else { return };
    let folder: (String, String) = place.run("CONFIG", ("GET", "dir")).await;
    let folder = Path::new(&folder.1);
    let (store, name) = (place.store(), session("s"));
    let claim = store.claim(&name).await.unwrap();
    let entry = [said(1, SECRET)];
    let batch = legwork_port::store::Batch::of(&entry);
    claim.append(legwork_core::Seq(0), batch).await.unwrap();
    claim.release().await.unwrap();
    store.post(&name, "key", &Item::Stop(SECRET.into())).await.unwrap();
    let Removal::Traces(advice) = store.remove(&[name]).await.unwrap() else { panic!() };
    assert!(advice.contains("BGREWRITEAOF") && advice.contains("BGSAVE"), "{advice}");
    assert!(holds(folder, SECRET), "nothing was left that could be written anew");
    let _: () = place.run("BGREWRITEAOF", &[] as &[&str]).await;
    until(async || {
        let info: String = place.run("INFO", "persistence").await;
        let over =
            info.contains("aof_rewrite_in_progress:0") && info.contains("aof_rewrite_scheduled:0");
        (over && !holds(folder, SECRET)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn s8_6_no_key_of_a_removed_session_is_left() {
    let Some(place) = Place::shared() else { return };
    let (store, names) = (place.store(), ["a", "b{}", "}c"].map(session));
    for name in &names {
        write(&store, name, &[1..=3]).await;
        store.post(name, "key", &Item::Stop("enough".into())).await.unwrap();
    }
    let held = store.claim(&names[2]).await.unwrap();
    assert!(matches!(store.remove(&names).await, Err(Error::Held { .. })));
    held.release().await.unwrap();
    store.remove(&names).await.unwrap();
    let left = place.keys().await;
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(left[1].starts_with(&place.key("removal:")), "{left:?}");
    let seconds: i64 = place.run("TTL", &left[1]).await;
    assert!(seconds > 0, "it stays");
}

#[tokio::test]
async fn s8_6_no_reader_sees_a_part_of_a_removed_session() {
    let Some(place) = Place::shared() else { return };
    let (store, reader, name) = (place.store(), place.store(), session("s"));
    const LENGTHS: [u64; 2] = [1_400, 1_100];
    let (whole, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let writes = async {
        for round in 0..12 {
            let seen = whole.load(Ordering::SeqCst);
            write(&store, &name, &[1..=LENGTHS[round % 2]]).await;
            until(async || (whole.load(Ordering::SeqCst) > seen).then_some(())).await;
            store.remove(std::slice::from_ref(&name)).await.unwrap();
        }
        over.store(true, Ordering::SeqCst);
    };
    let reads = async {
        while !over.load(Ordering::SeqCst) {
            let read = reader.read(&name, Range::ALL).await.unwrap();
            let last = read.journal.version().0;
            assert!(last == 0 || LENGTHS.contains(&last), "{last} entries");
            assert_eq!((read.damage, read.next), (None, None));
            assert_eq!(read.journal.entries(), entries(1..=last));
            whole.fetch_add(u64::from(last > 0), Ordering::SeqCst);
        }
    };
    futures_util::future::join(writes, reads).await;
}
