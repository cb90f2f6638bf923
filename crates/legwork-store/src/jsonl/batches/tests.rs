#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use std::io::Write as _;
use std::sync::Arc;

use legwork_core::{Entry, Event, Message, Timestamp};

use super::*;

fn line(seq: u64, text: &str) -> Vec<u8> {
    let event = Event::MessageAdded(Arc::new(Message::user(text)));
    let entry = Entry { seq: Seq(seq), parent: Seq(seq - 1), at: Timestamp(seq), event };
    entry.encode().unwrap()
}

/// Appends of one to three entries each, up to the entry of a number.
fn journal(last: u64) -> Vec<Vec<u8>> {
    let (mut batches, mut before) = (Vec::new(), 0);
    while before < last {
        let end = last.min(before + 1 + before % 3);
        let mut lines = Vec::new();
        for seq in before + 1..=end {
            push_line(&mut lines, &line(seq, &"text ".repeat(seq as usize % 7)));
        }
        batches.push(lines);
        before = end;
    }
    batches
}

fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn read_all(bytes: &[u8], range: Range) -> Whole {
    read(&file_of(bytes), bytes.len() as u64, Position::default(), range).unwrap()
}

fn numbers(whole: &Whole) -> Vec<u64> {
    whole.entries.iter().map(|entry| entry.seq.0).collect()
}

#[test]
fn s8_4_an_append_that_was_cut_at_any_byte_is_not_there() {
    let appends = journal(21);
    let last = appends.last().unwrap();
    let before = appends[..appends.len() - 1].concat();
    let known = read_all(&before, Range::ALL).entries.len() as u64;
    assert!(last.iter().filter(|byte| **byte == b'\n').count() > 1, "it has several entries");
    for cut in 0..=last.len() {
        let bytes = [&before[..], &last[..cut]].concat();
        let whole = read_all(&bytes, Range::ALL);
        let is_whole = cut == last.len();
        let expected = if is_whole { 21 } else { known };
        assert_eq!(numbers(&whole), (1..=expected).collect::<Vec<_>>(), "cut at {cut}");
        assert_eq!(whole.damage.is_some(), cut > 0 && !is_whole, "cut at {cut}");
    }
}

#[test]
fn s8_4_a_last_append_with_a_hole_is_not_there() {
    let appends = journal(21);
    let before = appends[..appends.len() - 1].concat();
    let known = read_all(&before, Range::ALL).entries.len() as u64;
    let mut last = appends.last().unwrap().clone();
    let hole = last.len() / 2;
    last[hole..hole + 40].fill(0);
    let whole = read_all(&[before, last].concat(), Range::ALL);
    assert_eq!(numbers(&whole), (1..=known).collect::<Vec<_>>());
    assert_eq!(whole.last.0, known);
    assert!(whole.damage.is_some());
}

#[test]
fn s8_4_whole_lines_of_a_damaged_append_stay_if_another_follows() {
    let mut bytes = journal(20).concat();
    let text = String::from_utf8(bytes.clone()).unwrap();
    // Entry 3 is the second of its append.
    let at = text.find("\"seq\":3").unwrap();
    bytes[at..at + 7].fill(b'x');
    let whole = read_all(&bytes, Range::ALL);
    assert_eq!(numbers(&whole), [1, 2]);
    let file = file_of(&bytes);
    let offset = offset_behind(&file, bytes.len() as u64, whole.last).unwrap().unwrap();
    assert!(goes_on_at(&file, offset).unwrap());
    assert_eq!(entry_at(&file, 0).unwrap(), Some(Seq(1)));
}

#[test]
fn s8_8_every_range_is_that_of_the_whole_journal() {
    let appends = journal(20);
    let bytes = appends.concat();
    let file = file_of(&bytes);
    let positions = positions(&file, bytes.len() as u64, Position::default()).unwrap();
    assert_eq!(positions.len(), appends.len());
    assert_eq!(positions.last().unwrap().offset, bytes.len() as u64);
    for after in 0..=21 {
        for limit in [0, 1, 2, 3, 5, 30] {
            let range = Range::after(Seq(after)).limit(limit);
            let wanted: Vec<_> = (after + 1..=20).take(limit).collect();
            let goes_on = after + (limit as u64) < 20;
            let starts = positions.iter().filter(|at| at.entry <= after);
            for start in [&Position::default()].into_iter().chain(starts) {
                let whole = read(&file, bytes.len() as u64, *start, range).unwrap();
                assert_eq!(numbers(&whole), wanted, "{limit} after {after} from {start:?}");
                assert_eq!(whole.goes_on, goes_on, "{limit} after {after} from {start:?}");
            }
        }
    }
}

#[test]
fn an_append_larger_than_what_is_read_at_once_is_read() {
    let mut bytes = Vec::new();
    let large = "0123456789é".repeat(200_000);
    for seq in 1..=4 {
        let mut append = Vec::new();
        push_line(&mut append, &line(seq, if seq == 2 { &large } else { "small" }));
        bytes.extend(append);
    }
    assert_eq!(numbers(&read_all(&bytes, Range::ALL)), [1, 2, 3, 4]);
    assert_eq!(numbers(&read_all(&bytes, Range::after(Seq(1)).limit(2))), [2, 3]);
}
