//! The lines of rows, decoded to entries: by several threads where there are many.

use std::io;
use std::num::NonZero;
use std::panic;
use std::sync::Arc;
use std::thread::{self, Scope, ScopedJoinHandle};

use legwork_core::Seq;
use legwork_core::entry::{self, Entry};
use legwork_port::store::Unreadable;
use memchr::memchr;

/// Bytes of lines that are worth a thread.
const PER_THREAD: usize = 128 << 10;

/// Threads at most, the caller's included.
const THREADS: usize = 4;

/// Bytes of lines that are read before they are decoded, and the next are read in their place:
/// memory that is touched for the first time takes longer than a thread to begin.
const MOST: usize = THREADS * PER_THREAD;

/// Rows that were read and not decoded yet.
#[derive(Debug)]
pub(crate) struct RowBuffer {
    /// The number of the last entry in front of its rows.
    before: Seq,
    rows: Vec<Row>,
    lines: Vec<u8>,
    /// The processors that there are, once that was asked.
    processors: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    /// The number of its last entry.
    last: Seq,
    /// Where its lines end in those of the buffer.
    end: usize,
}

/// Rows in a row, for one thread.
#[derive(Debug, Clone, Copy)]
struct Part<'b> {
    before: Seq,
    rows: &'b [Row],
    /// The lines of the buffer.
    lines: &'b [u8],
    /// Where the lines of its rows begin.
    start: usize,
}

/// The entries of rows, up to the first line that is not whole or cannot be read.
#[derive(Debug, Default)]
pub(crate) struct Decoded {
    pub(crate) entries: Vec<Arc<Entry>>,
    /// What comes after them; none where all could be decoded.
    pub(crate) end: Option<End>,
}

/// What comes after the last entry that could be decoded.
#[derive(Debug)]
pub(crate) enum End {
    Unreadable(Unreadable),
    Damage(Damage),
}

/// What comes after the last whole entry.
#[derive(Debug)]
pub(crate) struct Damage {
    pub(crate) reason: String,
    /// The whole lines at the start of the damaged row.
    #[cfg_attr(
        not(any(feature = "postgres", feature = "sqlite")),
        expect(dead_code, reason = "only rows are cut by it")
    )]
    pub(crate) kept: Vec<u8>,
}

impl RowBuffer {
    /// No rows yet; the first will begin behind the entry of a number.
    pub(crate) fn after(before: Seq) -> Self {
        Self { before, rows: Vec::new(), lines: Vec::new(), processors: None }
    }

    /// Leaves no rows; the next will begin behind the entry of a number.
    pub(crate) fn clear(&mut self, before: Seq) {
        self.before = before;
        self.rows.clear();
        self.lines.clear();
    }

    /// Adds the lines of the next row, up to the entry of a number.
    pub(crate) fn push(&mut self, last: Seq, lines: &[u8]) {
        self.lines.extend_from_slice(lines);
        self.rows.push(Row { last, end: self.lines.len() });
    }

    /// The number of the last entry in its rows, or in front of them.
    pub(crate) fn last(&self) -> Seq {
        self.rows.last().map_or(self.before, |row| row.last)
    }

    /// The length of all lines that it holds.
    #[cfg(feature = "postgres")]
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether it should be decoded before more is added.
    pub(crate) fn is_full(&self) -> bool {
        self.lines.len() >= MOST
    }

    /// Decodes all rows, in their order, and leaves none.
    pub(crate) fn decode(&mut self) -> Vec<Decoded> {
        let threads = self.threads();
        let decoded = self.decode_with(threads);
        self.clear(self.last());
        decoded
    }

    /// How many threads decode its lines.
    fn threads(&mut self) -> usize {
        let worth = self.lines.len() / PER_THREAD;
        if worth <= 1 {
            return 1;
        }
        // Counting them reads files of the system: more work than most journals are.
        let count = || thread::available_parallelism().map_or(1, NonZero::get);
        let processors = *self.processors.get_or_insert_with(count);
        processors.min(THREADS).min(worth)
    }

    fn decode_with(&self, threads: usize) -> Vec<Decoded> {
        let (own, others) = self.parts(threads.max(1));
        thread::scope(|scope| {
            let others: Vec<_> = others.into_iter().map(|part| (part, part.spawn(scope))).collect();
            let own = own.decode();
            let others = others.into_iter().map(|(part, thread)| match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic)),
                // There are as many threads as there can be.
                Err(_) => part.decode(),
            });
            std::iter::once(own).chain(others).collect()
        })
    }

    /// Parts with about as many bytes each: the first, and the others in order.
    fn parts(&self, count: usize) -> (Part<'_>, Vec<Part<'_>>) {
        let mut rest = Part { before: self.before, rows: &self.rows, lines: &self.lines, start: 0 };
        let mut parts = (1..=count).map(|number| {
            let (part, others) = rest.split(self.lines.len() * number / count);
            rest = others;
            part
        });
        let first = parts.next();
        let others = parts.collect();
        (first.unwrap_or(rest), others)
    }
}

impl<'b> Part<'b> {
    /// The rows that end up to a place in the lines, and those behind them.
    fn split(self, end: usize) -> (Self, Self) {
        let count = self.rows.partition_point(|row| row.end <= end);
        let (rows, others) = self.rows.split_at_checked(count).unwrap_or((self.rows, &[]));
        let (before, start) = match rows.last() {
            Some(row) => (row.last, row.end),
            None => (self.before, self.start),
        };
        (Self { rows, ..self }, Self { before, rows: others, start, ..self })
    }

    fn spawn<'s>(self, scope: &'s Scope<'s, 'b>) -> io::Result<ScopedJoinHandle<'s, Decoded>> {
        let name = "legwork-store-d".to_owned();
        thread::Builder::new().name(name).spawn_scoped(scope, move || self.decode())
    }

    fn decode(self) -> Decoded {
        let count = self.rows.last().map_or(0, |row| row.last.0.saturating_sub(self.before.0));
        // A damaged key may promise any number of entries; a line is longer than this.
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(self.lines.len() / 32);
        let mut decoded = Decoded { entries: Vec::with_capacity(count), end: None };
        let (mut before, mut start) = (self.before, self.start);
        for row in self.rows {
            let lines = self.lines.get(start..row.end).unwrap_or_default();
            decoded.end = decoded.push_row(before, row.last, lines).err();
            if decoded.end.is_some() {
                break;
            }
            (before, start) = (row.last, row.end);
        }
        decoded
    }
}

impl Decoded {
    /// Decodes the lines of a row that begins behind one entry and ends with another.
    fn push_row(&mut self, before: Seq, last: Seq, lines: &[u8]) -> Result<(), End> {
        let (mut before, mut kept) = (before, 0);
        for line in split(lines) {
            if before == last {
                // What follows the row's last entry is not part of the journal: entries that
                // come later have rows of their own.
                return Ok(());
            }
            before = before.next();
            match decoded(line, before) {
                Ok(entry) => self.entries.push(Arc::new(entry)),
                Err(entry::Error::Unreadable { reason, .. }) => {
                    let reason = reason.to_string();
                    return Err(End::Unreadable(Unreadable { entry: before, reason }));
                }
                Err(error) => return Err(End::damage(lines.get(..kept), error.to_string())),
            }
            kept += line.len() + usize::from(kept > 0);
        }
        match before == last {
            true => Ok(()),
            false => {
                let reason = format!("the entries up to {last} are not all there");
                Err(End::damage(lines.get(..kept), reason))
            }
        }
    }
}

impl End {
    fn damage(kept: Option<&[u8]>, reason: String) -> Self {
        Self::Damage(Damage { reason, kept: kept.unwrap_or_default().to_vec() })
    }
}

/// The lines of a row.
fn split(lines: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(lines);
    std::iter::from_fn(move || {
        let lines = rest?;
        let at = memchr(b'\n', lines);
        rest = at.and_then(|at| lines.get(at + 1..));
        lines.get(..at.unwrap_or(lines.len()))
    })
}

/// Reads a line that should hold the entry of a number.
fn decoded(line: &[u8], expected: Seq) -> Result<Entry, entry::Error> {
    // A space before the line break is not part of the entry.
    let read = Entry::decode(line.trim_ascii_end());
    let seq = match &read {
        Ok(entry) => Some(entry.seq),
        Err(entry::Error::Unreadable { seq, .. }) => *seq,
        Err(_) => None,
    };
    match seq {
        Some(seq) if seq != expected => {
            let found = format!("found entry {seq} in place of entry {expected}");
            Err(entry::Error::Damaged(serde::de::Error::custom(found)))
        }
        _ => read,
    }
}

#[cfg(test)]
mod tests;
