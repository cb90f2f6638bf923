use legwork_core::{Event, Message, Timestamp};

use super::*;

fn line(seq: u64) -> Vec<u8> {
    let event = Event::MessageAdded(Arc::new(Message::user(format!("this is entry {seq}"))));
    let entry = Entry { seq: Seq(seq), parent: Seq(seq - 1), at: Timestamp(seq), event };
    entry.encode().unwrap()
}

/// Rows of one to three entries each, up to the entry of a number.
fn rows(last: u64) -> Vec<(u64, Vec<u8>)> {
    let (mut rows, mut before) = (Vec::new(), 0);
    while before < last {
        let end = last.min(before + 1 + before % 3);
        let lines: Vec<_> = (before + 1..=end).map(line).collect();
        rows.push((end, lines.join(&b'\n')));
        before = end;
    }
    rows
}

fn buffer(rows: &[(u64, Vec<u8>)]) -> RowBuffer {
    let mut buffer = RowBuffer::after(Seq::ZERO);
    rows.iter().for_each(|(last, lines)| buffer.push(Seq(*last), lines));
    buffer
}

/// The numbers of the entries up to the first end, and that end.
fn outcome(decoded: Vec<Decoded>) -> (Vec<u64>, Option<String>) {
    let mut numbers = Vec::new();
    for Decoded { entries, end } in decoded {
        numbers.extend(entries.iter().map(|entry| entry.seq.0));
        if let Some(end) = end {
            return (numbers, Some(format!("{end:?}")));
        }
    }
    (numbers, None)
}

#[test]
fn s8_8_as_many_threads_as_there_are_decode_the_same() {
    for last in [0, 1, 2, 5, 100] {
        let buffer = buffer(&rows(last));
        for threads in 0..=7 {
            let expected = ((1..=last).collect(), None);
            assert_eq!(outcome(buffer.decode_with(threads)), expected, "{last} by {threads}");
        }
    }
}

#[test]
fn s8_4_what_no_thread_can_decode_ends_the_journal_where_it_stands() {
    let whole = rows(60);
    for damaged in 0..whole.len() {
        let mut rows = whole.clone();
        rows[damaged].1.truncate(5);
        let before = damaged.checked_sub(1).map_or(0, |row| rows[row].0);
        let buffer = buffer(&rows);
        let (expected, end) = outcome(buffer.decode_with(1));
        assert_eq!(expected, (1..=before).collect::<Vec<_>>());
        assert!(end.as_ref().is_some_and(|end| end.starts_with("Damage")), "{end:?}");
        for threads in 2..=5 {
            let decoded = outcome(buffer.decode_with(threads));
            assert_eq!(decoded, (expected.clone(), end.clone()), "row {damaged} by {threads}");
        }
    }
}

#[test]
fn parts_hold_every_row_once_and_about_as_many_bytes() {
    let buffer = buffer(&rows(300));
    let (first, others) = buffer.parts(4);
    let parts: Vec<_> = std::iter::once(first).chain(others).collect();
    let ends: Vec<_> = parts.iter().flat_map(|part| part.rows).map(|row| row.end).collect();
    assert_eq!(ends, buffer.rows.iter().map(|row| row.end).collect::<Vec<_>>());
    for part in parts {
        let bytes = part.rows.last().unwrap().end - part.start;
        assert!(bytes.abs_diff(buffer.lines.len() / 4) < 500, "{bytes}");
    }
}

#[test]
fn a_buffer_that_was_decoded_goes_on_behind_its_last_entry() {
    let mut buffer = buffer(&rows(4));
    assert_eq!(outcome(buffer.decode()).0, [1, 2, 3, 4]);
    buffer.push(Seq(5), &line(5));
    assert_eq!(outcome(buffer.decode()).0, [5]);
}
