#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::path::PathBuf;
use std::sync::Arc;

use legwork_core::{Entry, Event, Message, Timestamp};

use super::*;

struct Journal {
    _folder: tempfile::TempDir,
    place: Place,
    file: File,
    appends: Vec<Position>,
}

impl Journal {
    /// A journal of appends of about 4 kB.
    fn new(appends: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { key: "s".to_owned(), folder: folder.path().to_owned() };
        let mut file = files::open_or_create(&place.journal(), Access::Append).unwrap();
        let (mut positions, mut at) = (Vec::new(), Position::default());
        for number in 0..appends {
            let mut lines = Vec::new();
            for seq in [2 * number + 1, 2 * number + 2] {
                let event = Event::MessageAdded(Arc::new(Message::user("x".repeat(2_000))));
                let (seq, parent) = (Seq(seq), Seq(seq - 1));
                let entry = Entry { seq, parent, at: Timestamp(0), event };
                batches::push_line(&mut lines, &entry.encode().unwrap());
            }
            file.write_all(&lines).unwrap();
            positions.push(at);
            at = Position { entry: at.entry + 2, offset: at.offset + lines.len() as u64 };
        }
        positions.push(at);
        Self { _folder: folder, place, file, appends: positions }
    }

    fn end(&self) -> Position {
        *self.appends.last().unwrap()
    }

    fn path(&self) -> PathBuf {
        self.place.index()
    }

    fn find(&self, after: u64) -> Position {
        find(&self.place, &self.file, self.end().offset, Seq(after)).unwrap()
    }

    /// Every range begins at most some appends before its first entry.
    fn is_indexed(&self) {
        for after in 0..=self.end().entry {
            let found = self.find(after);
            assert!(found.entry <= after && self.appends.contains(&found), "{found:?}");
            let start = self.appends.iter().rev().find(|at| at.entry <= after).unwrap();
            assert!(start.offset - found.offset <= 3 * STRIDE, "{after} is read from {found:?}");
        }
    }
}

#[test]
fn s8_8_a_range_begins_near_its_first_entry() {
    let journal = Journal::new(200);
    assert_eq!(journal.find(300), Position::default());
    let mut index = Index::open(&journal.place, &journal.file, Position::default()).unwrap();
    journal.appends.iter().for_each(|at| index.add(*at).unwrap());
    journal.is_indexed();
    assert!(journal.find(300).offset > STRIDE);
    // Opened again it goes on where it was.
    let length = || files::length(&journal.path()).unwrap();
    let before = length();
    drop(Index::open(&journal.place, &journal.file, journal.end()).unwrap());
    assert_eq!(length(), before);
}

#[test]
fn s8_8_an_index_that_is_missing_or_wrong_is_made_anew() {
    let journal = Journal::new(200);
    let record = |entry: u64, offset: u64| [entry.to_le_bytes(), offset.to_le_bytes()].concat();
    let (end, middle) = (journal.end(), journal.appends[100]);
    let wrong = [
        Vec::new(),
        vec![7; 5],
        vec![0xff; 4096],
        record(middle.entry, middle.offset + 1),
        record(middle.entry + 1, middle.offset),
        record(end.entry + 2, end.offset + 1_000_000),
        [record(middle.entry, middle.offset), record(2, 30)].concat(),
    ];
    for bytes in wrong {
        std::fs::write(journal.path(), &bytes).unwrap();
        // Whoever reads it first is not led astray.
        for after in [0, 150, 202, 399] {
            let found = journal.find(after);
            assert!(journal.appends.contains(&found) && found.entry <= after, "{bytes:?}");
        }
        drop(Index::open(&journal.place, &journal.file, end).unwrap());
        journal.is_indexed();
    }
}
