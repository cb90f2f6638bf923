//! The store keeps the promises of the port.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use legwork_port::core::{Entry, Event, Message, Seq, SessionId, Timestamp};
use legwork_port::{Store as _, store};
use legwork_testkit::conformance::store::{check, check_fencing, check_shared};
use stranger::jsonl::Jsonl;

use crate::Folder;

fn open(folder: &Folder) -> Jsonl {
    Jsonl::open(&folder.0).unwrap()
}

fn session() -> SessionId {
    SessionId::new("a session")
}

/// Entries that say their number.
pub(crate) fn entries(numbers: std::ops::RangeInclusive<u64>) -> Vec<Arc<Entry>> {
    let entry = |seq: u64| {
        let event = Event::MessageAdded(Arc::new(Message::user(format!("this is {seq}"))));
        Arc::new(Entry { seq: Seq(seq), parent: Seq(seq - 1), at: Timestamp(seq), event })
    };
    numbers.map(entry).collect()
}

/// The one file of lines in a folder.
fn file(folder: &Folder) -> PathBuf {
    let paths = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().path());
    let mut lines = paths.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    lines.next().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_keeps_the_promises_of_the_port() {
    let folder = Folder::new();
    let next = AtomicU32::new(0);
    let make = async || {
        let number = next.fetch_add(1, Ordering::SeqCst);
        Jsonl::open(folder.0.join(number.to_string())).unwrap()
    };
    check(make).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_keeps_them_across_handles() {
    let folder = Folder::new();
    check_shared(async || open(&folder)).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn it_refuses_whoever_lost_its_claim() {
    let folder = Folder::new();
    // The lock is on a file: without the file there is none.
    let lose = async |session| fs::remove_file(open(&folder).claim_file(&session)).unwrap();
    let result = check_fencing(async || open(&folder), lose).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn an_append_that_was_cut_anywhere_is_left_out_and_the_next_one_works() {
    let folder = Folder::new();
    let store = open(&folder);
    let claim = store.claim(&session()).await.unwrap();
    claim.append(Seq(0), &entries(1..=2)).await.unwrap();
    let before = fs::metadata(file(&folder)).unwrap().len();
    claim.append(Seq(2), &entries(3..=5)).await.unwrap();
    drop(claim);
    let whole = fs::read(file(&folder)).unwrap();
    for length in before..whole.len() as u64 {
        fs::write(file(&folder), &whole[..length as usize]).unwrap();
        let loaded = store.read(&session()).await.unwrap();
        // Without its line break alone, the line is whole.
        let last = if length + 1 == whole.len() as u64 { 5 } else { 2 };
        assert_eq!(loaded.journal.entries(), entries(1..=last), "cut at {length}");
        assert_eq!(loaded.damage.is_some(), length > before && last == 2, "cut at {length}");

        let claim = store.claim(&session()).await.unwrap();
        claim.append(Seq(last), &entries(last + 1..=last + 2)).await.unwrap();
        let loaded = store.read(&session()).await.unwrap();
        assert_eq!(loaded.journal.entries(), entries(1..=last + 2), "cut at {length}");
        assert_eq!(loaded.damage, None, "cut at {length}");
    }
}

#[tokio::test]
async fn damage_in_the_middle_hides_what_follows_until_it_is_written_anew() {
    let folder = Folder::new();
    let store = open(&folder);
    let claim = store.claim(&session()).await.unwrap();
    for seq in 1..=4 {
        claim.append(Seq(seq - 1), &entries(seq..=seq)).await.unwrap();
    }
    drop(claim);
    let text = fs::read_to_string(file(&folder)).unwrap();
    fs::write(file(&folder), text.replace("this is 3", "this is \u{7}")).unwrap();

    let loaded = store.read(&session()).await.unwrap();
    assert_eq!(loaded.journal.entries(), entries(1..=2));
    assert!(loaded.damage.unwrap().contains("is left out"));
    let claim = store.claim(&session()).await.unwrap();
    claim.append(Seq(2), &entries(3..=3)).await.unwrap();
    claim.append(Seq(3), &entries(4..=5)).await.unwrap();
    let loaded = store.read(&session()).await.unwrap();
    assert_eq!((loaded.journal.entries(), loaded.damage), (&entries(1..=5)[..], None));
}

#[tokio::test]
async fn a_newer_journal_is_not_read_and_hides_no_other() {
    let folder = Folder::new();
    let store = open(&folder);
    for name in ["old", "new"] {
        let claim = store.claim(&SessionId::new(name)).await.unwrap();
        claim.append(Seq(0), &entries(1..=1)).await.unwrap();
    }
    let path = store.claim_file(&SessionId::new("new")).with_extension("jsonl");
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(b"[\"entries\",{\"v\":99,\"other\":\"shape\"}]\n").unwrap();

    let refused = store.read(&SessionId::new("new")).await;
    assert!(matches!(refused, Err(store::Error::Newer { found: 99, .. })), "{refused:?}");
    let refused = store.claim(&SessionId::new("new")).await.map(|_| ());
    assert!(matches!(refused, Err(store::Error::Newer { found: 99, .. })), "{refused:?}");
    assert_eq!(store.read(&SessionId::new("old")).await.unwrap().journal.version(), Seq(1));
    assert_eq!(store.sessions(10).await.unwrap().len(), 2);
}
