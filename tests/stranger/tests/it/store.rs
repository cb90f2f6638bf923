//! The store keeps the promises of the port.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use legwork_port::core::inbox::{Cursor, Item};
use legwork_port::core::{Entry, Event, Message, Seq, SessionId, Timestamp};
use legwork_port::store::{Batch, Query, Range};
use legwork_port::{Store as _, store};
use legwork_testkit::conformance::store::{
    check, check_fencing, check_listing, check_shared, check_unreadable,
};
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
async fn s8_7_it_lists_without_reading_a_journal() {
    let folder = Folder::new();
    let overwrite = async |session| {
        let path = open(&folder).claim_file(&session).with_extension("jsonl");
        let length = fs::metadata(&path).unwrap().len() as usize;
        fs::write(&path, "x".repeat(length)).unwrap();
    };
    let result = check_listing(async || open(&folder), overwrite).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}

/// The number of entries that a list says the one session of a store has.
async fn listed(store: &Jsonl) -> u64 {
    let page = store.sessions(&Query::all()).await.unwrap();
    assert_eq!(page.sessions.len(), 1);
    page.sessions[0].entries
}

#[tokio::test]
async fn s8_7_a_summary_that_is_behind_damaged_or_missing_is_not_used() {
    let folder = Folder::new();
    let store = open(&folder);
    let claim = store.claim(&session()).await.unwrap();
    claim.append(Seq(0), Batch::of(&entries(1..=2))).await.unwrap();
    let summary = file(&folder).with_extension("summary");
    let behind = fs::read(&summary).unwrap();
    claim.append(Seq(2), Batch::of(&entries(3..=5))).await.unwrap();
    assert_eq!(listed(&store).await, 5);
    // As after a crash between the line and its summary.
    for bytes in [&behind[..], b"", b"[", &[&behind[..], b"]"].concat()] {
        fs::write(&summary, bytes).unwrap();
        assert_eq!(listed(&store).await, 5);
    }
    fs::remove_file(&summary).unwrap();
    assert_eq!(listed(&store).await, 5);
    claim.append(Seq(5), Batch::of(&entries(6..=6))).await.unwrap();
    assert!(summary.exists());
    assert_eq!(listed(&store).await, 6);
}

#[tokio::test]
async fn s8_6_a_removed_session_leaves_no_summary() {
    let folder = Folder::new();
    let store = open(&folder);
    let claim = store.claim(&session()).await.unwrap();
    claim.append(Seq(0), Batch::of(&entries(1..=2))).await.unwrap();
    drop(claim);
    let files = [file(&folder), file(&folder).with_extension("summary")];
    assert!(files.iter().all(|file| file.exists()));
    store.remove(&[session()]).await.unwrap();
    assert!(files.iter().all(|file| !file.exists()));
}

#[tokio::test]
async fn an_append_that_was_cut_anywhere_is_left_out_and_the_next_one_works() {
    let folder = Folder::new();
    let store = open(&folder);
    let claim = store.claim(&session()).await.unwrap();
    claim.append(Seq(0), Batch::of(&entries(1..=2))).await.unwrap();
    let before = fs::metadata(file(&folder)).unwrap().len();
    claim.append(Seq(2), Batch::of(&entries(3..=5))).await.unwrap();
    drop(claim);
    let whole = fs::read(file(&folder)).unwrap();
    for length in before..whole.len() as u64 {
        fs::write(file(&folder), &whole[..length as usize]).unwrap();
        let loaded = store.read(&session(), Range::ALL).await.unwrap();
        // Without its line break alone, the line is whole.
        let last = if length + 1 == whole.len() as u64 { 5 } else { 2 };
        assert_eq!(loaded.journal.entries(), entries(1..=last), "cut at {length}");
        assert_eq!(loaded.damage.is_some(), length > before && last == 2, "cut at {length}");

        let claim = store.claim(&session()).await.unwrap();
        claim.append(Seq(last), Batch::of(&entries(last + 1..=last + 2))).await.unwrap();
        let loaded = store.read(&session(), Range::ALL).await.unwrap();
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
        claim.append(Seq(seq - 1), Batch::of(&entries(seq..=seq))).await.unwrap();
    }
    drop(claim);
    let text = fs::read_to_string(file(&folder)).unwrap();
    fs::write(file(&folder), text.replace("this is 3", "this is \u{7}")).unwrap();

    let loaded = store.read(&session(), Range::ALL).await.unwrap();
    assert_eq!(loaded.journal.entries(), entries(1..=2));
    assert!(loaded.damage.unwrap().contains("is left out"));
    let claim = store.claim(&session()).await.unwrap();
    claim.append(Seq(2), Batch::of(&entries(3..=3))).await.unwrap();
    claim.append(Seq(3), Batch::of(&entries(4..=5))).await.unwrap();
    let loaded = store.read(&session(), Range::ALL).await.unwrap();
    assert_eq!((loaded.journal.entries(), loaded.damage), (&entries(1..=5)[..], None));
}

/// Adds a line to the file of a session, as another version of the store would.
fn add_line(store: &Jsonl, session: &SessionId, line: &[u8]) {
    let path = store.claim_file(session).with_extension("jsonl");
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(line).unwrap();
    file.write_all(b"\n").unwrap();
}

#[tokio::test]
async fn s8_4_it_keeps_what_it_cannot_read() {
    let folder = Folder::new();
    let next = AtomicU32::new(0);
    let make = async || {
        let number = next.fetch_add(1, Ordering::SeqCst);
        Jsonl::open(folder.0.join(number.to_string())).unwrap()
    };
    let plant = async |store: &Jsonl, session: &SessionId, lines: &[Vec<u8>]| {
        let name = serde_json::to_string(session).unwrap();
        add_line(store, session, format!("[\"session\",{name}]").as_bytes());
        for line in lines {
            add_line(store, session, &[b"[\"entries\",", &line[..], b"]"].concat());
        }
    };
    let bytes = async |store: &Jsonl, session: &SessionId| {
        fs::read(store.claim_file(session).with_extension("jsonl")).unwrap()
    };
    let result = check_unreadable(make, plant, bytes).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn s8_4_a_whole_line_of_an_unknown_kind_is_kept_and_refused() {
    let folder = Folder::new();
    let store = open(&folder);
    let claim = store.claim(&session()).await.unwrap();
    claim.append(Seq(0), Batch::of(&entries(1..=2))).await.unwrap();
    add_line(&store, &session(), br#"["snapshot",{"of":2}]"#);
    let whole = fs::read(file(&folder)).unwrap();
    let refused = claim.append(Seq(2), Batch::of(&entries(3..=3))).await.unwrap_err();
    assert!(matches!(refused, store::Error::Unreadable { entry: Seq(3), .. }), "{refused}");
    assert!(refused.to_string().contains("snapshot"), "{refused}");
    assert_eq!(fs::read(file(&folder)).unwrap(), whole);
    let loaded = store.read(&session(), Range::ALL).await.unwrap();
    assert_eq!((loaded.journal.entries(), loaded.damage), (&entries(1..=2)[..], None));
}

#[tokio::test]
async fn s8_4_readable_entries_before_an_unreadable_one_of_their_append_are_read() {
    let folder = Folder::new();
    let store = open(&folder);
    let line = |seq: u64| entries(seq..=seq)[0].encode().unwrap();
    drop(store.claim(&session()).await.unwrap());
    // What a writer left that was killed; another version went on after it.
    add_line(&store, &session(), b"[\"entries\",{\"v\":");
    let parts = [&b"[\"entries\","[..], &line(1), b",", br#"{"v":1,"seq":2}"#, b"]"];
    add_line(&store, &session(), &parts.concat());
    add_line(&store, &session(), &[b"[\"entries\",", &line(3)[..], b"]"].concat());
    let loaded = store.read(&session(), Range::ALL).await.unwrap();
    assert_eq!(loaded.journal.entries(), entries(1..=1));
    assert_eq!(loaded.unreadable.unwrap().entry, Seq(2));
    assert_eq!(store.sessions(&Query::first(10)).await.unwrap().sessions.len(), 1);
}

#[tokio::test]
async fn s8_4_an_item_that_cannot_be_read_keeps_its_place() {
    let folder = Folder::new();
    let store = open(&folder);
    let item = |text: &str| Item::Stop(text.into());
    assert_eq!(store.post(&session(), "a", &item("one")).await.unwrap(), Cursor(1));
    add_line(&store, &session(), br#"["posted",{"cursor":2,"key":"b","item":{"sing":"la"}}]"#);
    assert_eq!(store.post(&session(), "c", &item("three")).await.unwrap(), Cursor(3));
    assert_eq!(store.post(&session(), "b", &item("two")).await.unwrap(), Cursor(2));
    let error = store.inbox(&session(), Cursor(0)).await.unwrap_err().to_string();
    assert!(error.contains("item 2 needs a newer Legwork"), "{error}");
    let rest = store.inbox(&session(), Cursor(2)).await.unwrap();
    assert_eq!(rest.iter().map(|posted| posted.key.as_str()).collect::<Vec<_>>(), ["c"]);
}
