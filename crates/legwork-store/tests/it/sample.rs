//! What the tests write, and stores to write it to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork_core::{Entry, Event, Message, Seq, SessionId, Timestamp};
use legwork_port::Claim;
use legwork_port::store::{Batch, Range};
use legwork_store::sqlite::Store;
use rusqlite::Connection;

/// A folder that goes away with the test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn db(&self) -> PathBuf {
        self.path().join("store.db")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(self.db()).unwrap()
    }

    /// The file as any SQLite program sees it.
    pub(crate) fn sqlite(&self) -> Connection {
        Connection::open(self.db()).unwrap()
    }
}

pub(crate) fn session(name: &str) -> SessionId {
    SessionId::new(name)
}

pub(crate) fn said(seq: u64, text: &str) -> Arc<Entry> {
    let event = Event::MessageAdded(Arc::new(Message::user(text)));
    let at = Timestamp(1_760_000_000_000 + seq);
    Arc::new(Entry { seq: Seq(seq), parent: Seq(seq - 1), at, event })
}

/// Entries from one number to another.
pub(crate) fn entries(range: std::ops::RangeInclusive<u64>) -> Vec<Arc<Entry>> {
    range.map(|seq| said(seq, &format!("this is entry {seq}"))).collect()
}

/// Appends entries of these numbers, each range one append.
pub(crate) async fn write(
    store: &impl legwork_port::Store,
    name: &SessionId,
    ranges: &[std::ops::RangeInclusive<u64>],
) {
    let claim = store.claim(name).await.unwrap();
    for range in ranges {
        append(&*claim, range.clone()).await;
    }
}

pub(crate) async fn append(claim: &dyn Claim, range: std::ops::RangeInclusive<u64>) {
    claim.append(Seq(range.start() - 1), Batch::of(&entries(range))).await.unwrap();
}

/// The numbers of the entries that can be read.
pub(crate) async fn numbers(store: &impl legwork_port::Store, name: &SessionId) -> Vec<u64> {
    let journal = store.read(name, Range::ALL).await.unwrap().journal;
    journal.entries().iter().map(|entry| entry.seq.0).collect()
}
