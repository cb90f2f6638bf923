//! Many writers of one session at once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::{join, join_all};
use legwork_core::Seq;
use legwork_core::inbox::{Cursor, Item};
use legwork_port::store::{Batch, Error, Range};
use legwork_port::{Claim, Store as _};
use legwork_store::postgres::{Options, Store};

use super::Scratch;
use crate::sample::{append, entries, said, session};

/// An append that returned `Ok`.
type Appended = (u64, String);

/// Claims that are held past their lease, while others take the session over: none of them writes
/// any more, and what was written under each is there once.
async fn hold_too_long(store: Store, who: usize) -> Vec<Appended> {
    let (name, mut written, mut lost) = (session("s"), Vec::new(), Vec::<Box<dyn Claim>>::new());
    for round in 0..4 {
        let claim = loop {
            match store.claim(&name).await {
                Ok(claim) => break claim,
                Err(Error::Held { .. }) => tokio::task::yield_now().await,
                Err(error) => panic!("{error}"),
            }
        };
        let last = store.read(&name, Range::ALL).await.unwrap().journal.version().0;
        let text = format!("{who} in round {round}");
        let entry = [said(last + 1, &text)];
        for old in &lost {
            let refused = old.append(Seq(last), Batch::of(&entry)).await;
            assert!(matches!(refused, Err(Error::Lost { .. })), "{refused:?}");
        }
        match claim.append(Seq(last), Batch::of(&entry)).await {
            Ok(_) => written.push((last + 1, text)),
            // Another one took over already.
            Err(Error::Lost { .. } | Error::Moved { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        lost.push(claim);
    }
    written
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s8_3_of_many_holders_whose_leases_end_each_append_is_there_once() {
    let Some(scratch) = Scratch::new() else { return };
    let short = || Options::new().lease(Duration::from_millis(100)).connections(2);
    let open = || short().open(&scratch.url("store")).unwrap();
    let workers = (0..5).map(|who| tokio::spawn(hold_too_long(open(), who)));
    let written = join_all(workers.collect::<Vec<_>>()).await;
    let mut written: Vec<_> = written.into_iter().flat_map(Result::unwrap).collect();
    written.sort_unstable();
    let loaded = open().read(&session("s"), Range::ALL).await.unwrap();
    let wanted: Vec<_> = written.iter().map(|(seq, text)| said(*seq, text)).collect();
    assert_eq!(loaded.journal.entries(), wanted);
    assert!(!wanted.is_empty() && loaded.damage.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s8_2_an_append_misses_no_item_whose_post_has_returned() {
    let Some(scratch) = Scratch::new() else { return };
    let (here, elsewhere) = (scratch.store("store"), scratch.store("store"));
    let (name, posted, count) = (session("s"), AtomicU64::new(0), 300);
    let claim = here.claim(&name).await.unwrap();
    append(&*claim, 1..=1).await;
    let posting = async {
        for number in 1..=count {
            let item = Item::Stop("x".into());
            elsewhere.post(&name, &number.to_string(), &item).await.unwrap();
            posted.store(number, Ordering::SeqCst);
        }
    };
    let appending = async {
        let (mut last, mut seen, mut refused) = (1, Cursor(0), 0);
        while seen.0 < count {
            let returned = posted.load(Ordering::SeqCst);
            let entry = entries(last + 1..=last + 1);
            match claim.append(Seq(last), Batch::of(&entry).if_seen(seen)).await {
                Ok(appended) => {
                    assert!(returned <= seen.0, "item {returned} was missed after {}", seen.0);
                    assert_eq!(appended.inbox, seen);
                    last += 1;
                }
                Err(Error::NewItems { inbox, .. }) => {
                    assert!(inbox > seen);
                    (seen, refused) = (inbox, refused + 1);
                }
                Err(error) => panic!("{error}"),
            }
        }
        (last, refused)
    };
    let ((), (last, refused)) = join(posting, appending).await;
    let journal = here.read(&name, Range::ALL).await.unwrap().journal;
    assert_eq!(journal.entries(), entries(1..=last));
    assert!(refused > 0);
}
