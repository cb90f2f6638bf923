//! A journal's lines, and the appends that they came with.
//!
//! An append writes its entries a line each. Every line but its last one ends with a space before
//! the line break, which JSON ignores: the append goes on. So one that was cut anywhere shows as
//! such, and none of its entries is read.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use legwork_core::Seq;
use legwork_port::store::Range;
use memchr::{memchr, memchr_iter, memrchr};
use serde::Deserialize;

use crate::decode::{Damage, Decoded, End, RowBuffer};
use crate::whole::Whole;

/// Bytes that are read at once; more if no append ends in them.
const CHUNK: u64 = 256 << 10;

/// The end of the lines of an append but its last one.
const GOES_ON: &[u8] = b" \n";

/// A place in a journal between two appends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Position {
    /// The number of the entry before it.
    pub(super) entry: u64,
    pub(super) offset: u64,
}

/// Adds an entry to the lines of an append.
pub(super) fn push_line(lines: &mut Vec<u8>, line: &[u8]) {
    if lines.pop().is_some() {
        lines.extend_from_slice(GOES_ON);
    }
    lines.extend_from_slice(line);
    lines.push(b'\n');
}

/// Reads the entries of a range of a journal that has so many bytes, from a position before it.
pub(super) fn read(file: &File, len: u64, from: Position, range: Range) -> io::Result<Whole> {
    let mut whole = Whole::from(Seq(from.entry), range);
    let mut chunks = Chunks::new(file, from.offset, len)?;
    let mut gathered = Gathered::new(Seq(from.entry), range);
    loop {
        let found = chunks.next()?;
        let is_enough = gathered.add(&found, &mut whole.last);
        if !found.is_last && !is_enough && !gathered.buffer.is_full() {
            continue;
        }
        let is_end = found.is_last && found.rest == 0 && !is_enough;
        whole.take(gathered.decode(is_end));
        match () {
            () if whole.ends_early() => return Ok(whole),
            () if is_enough => return Ok(Whole { goes_on: true, ..whole }),
            () if !found.is_last => {}
            () if found.rest == 0 => return Ok(whole),
            () if whole.is_full() => return Ok(Whole { goes_on: true, ..whole }),
            () => {
                let bytes = found.rest;
                let reason = format!("the last append is not whole: {bytes} bytes of it are there");
                let damage = Some(Damage { reason, kept: Vec::new() });
                return Ok(Whole { damage, ..whole });
            }
        }
    }
}

/// Appends of a range that were read and not decoded yet.
struct Gathered {
    range: Range,
    buffer: RowBuffer,
    /// The entry before the last of them.
    last_append: Seq,
}

impl Gathered {
    fn new(before: Seq, range: Range) -> Self {
        Self { range, buffer: RowBuffer::after(before), last_append: before }
    }

    /// Adds appends; true if there are more than the range has.
    ///
    /// Those before the range are skipped, and the last entry of them is `skipped`.
    fn add(&mut self, found: &Chunk<'_>, skipped: &mut Seq) -> bool {
        let limit = u64::try_from(self.range.limit).unwrap_or(u64::MAX);
        let wanted = self.range.after.0.saturating_add(limit);
        for append in appends(found.appends) {
            let before = self.buffer.last();
            if before.0 >= wanted {
                return true;
            }
            let last = Seq(before.0 + count(append));
            self.last_append = before;
            if last <= self.range.after {
                *skipped = last;
                self.buffer.clear(last);
            } else {
                self.buffer.push(last, append.strip_suffix(b"\n").unwrap_or(append));
            }
        }
        false
    }

    /// Decodes them. If they end the journal and the last append is damaged, none of that one is
    /// left: it may never have been durable.
    fn decode(&mut self, is_end: bool) -> Vec<Decoded> {
        let mut decoded = self.buffer.decode();
        if is_end {
            for part in &mut decoded {
                if matches!(part.end, Some(End::Damage(_))) {
                    part.entries.retain(|entry| entry.seq <= self.last_append);
                }
            }
        }
        decoded
    }
}

/// The appends in bytes that end with one.
fn appends(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (append, others) = rest.split_at_checked(first_end(rest)?)?;
        rest = others;
        Some(append)
    })
}

/// Where the first append in bytes ends; none if it goes on behind them.
fn first_end(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + memchr(b'\n', bytes.get(from..)?)?;
        if !bytes.get(..=at)?.ends_with(GOES_ON) {
            return Some(at + 1);
        }
        from = at + 1;
    }
}

/// Where the last append in bytes ends.
fn last_end(bytes: &[u8]) -> usize {
    let mut to = bytes.len();
    while let Some(at) = bytes.get(..to).and_then(|head| memrchr(b'\n', head)) {
        if !bytes.get(..=at).is_some_and(|lines| lines.ends_with(GOES_ON)) {
            return at + 1;
        }
        to = at;
    }
    0
}

/// The lines of bytes.
fn count(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// Where the appends begin that follow a position, each with the entry before it.
pub(super) fn positions(file: &File, len: u64, from: Position) -> io::Result<Vec<Position>> {
    let mut chunks = Chunks::new(file, from.offset, len)?;
    let (mut positions, mut at) = (Vec::new(), from);
    loop {
        let found = chunks.next()?;
        for append in appends(found.appends) {
            at.entry += count(append);
            at.offset += append.len() as u64;
            positions.push(at);
        }
        if found.is_last {
            return Ok(positions);
        }
    }
}

/// The offset behind the line of an entry; none if there are not so many lines.
pub(super) fn offset_behind(file: &File, len: u64, entry: Seq) -> io::Result<Option<u64>> {
    if entry == Seq::ZERO {
        return Ok(Some(0));
    }
    let mut file = file;
    file.seek(SeekFrom::Start(0))?;
    let mut reader = io::BufReader::with_capacity(1 << 16, file.take(len));
    let (mut lines, mut offset) = (0, 0);
    loop {
        let bytes = io::BufRead::fill_buf(&mut reader)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        for at in memchr_iter(b'\n', bytes) {
            lines += 1;
            if lines == entry.0 {
                return Ok(Some(offset + at as u64 + 1));
            }
        }
        let read = bytes.len();
        offset += read as u64;
        io::BufRead::consume(&mut reader, read);
    }
}

/// Whether the bytes before an offset are the end of a line after which its append goes on.
pub(super) fn goes_on_at(file: &File, offset: u64) -> io::Result<bool> {
    let Some(at) = offset.checked_sub(GOES_ON.len() as u64) else { return Ok(false) };
    let (mut file, mut end) = (file, [0; 2]);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut end)?;
    Ok(end == *GOES_ON)
}

/// The number of the entry that begins at an offset; none if none does.
pub(super) fn entry_at(file: &File, offset: u64) -> io::Result<Option<Seq>> {
    #[derive(Deserialize)]
    struct Number {
        seq: Seq,
    }
    let mut file = file;
    file.seek(SeekFrom::Start(offset))?;
    let mut line = Vec::new();
    io::BufRead::read_until(&mut io::BufReader::new(file), b'\n', &mut line)?;
    Ok(serde_json::from_slice(&line).ok().map(|Number { seq }| seq))
}

/// A journal, a few appends at a time.
struct Chunks<'f> {
    file: &'f File,
    /// Bytes that were not read yet.
    left: u64,
    /// Bytes to read next.
    size: u64,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were given.
    given: usize,
}

struct Chunk<'b> {
    /// Whole appends.
    appends: &'b [u8],
    /// Bytes behind them that are no whole append, once all was read.
    rest: usize,
    is_last: bool,
}

impl<'f> Chunks<'f> {
    fn new(mut file: &'f File, offset: u64, len: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(offset))?;
        let left = len.saturating_sub(offset);
        Ok(Self { file, left, size: CHUNK, buffer: Vec::new(), given: 0 })
    }

    fn next(&mut self) -> io::Result<Chunk<'_>> {
        self.buffer.drain(..self.given);
        self.size = CHUNK;
        let end = loop {
            let before = self.buffer.len();
            let read = self.file.take(self.left.min(self.size)).read_to_end(&mut self.buffer)?;
            self.size *= 2;
            self.left = if read == 0 { 0 } else { self.left - read as u64 };
            // Only what was read now, and the line break before it, can end an append.
            let end = last_end(&self.buffer);
            if end > 0 || self.left == 0 || self.buffer.len() == before {
                break end;
            }
        };
        self.given = end;
        let (appends, rest) = self.buffer.split_at_checked(end).unwrap_or((&self.buffer, &[]));
        Ok(Chunk { appends, rest: rest.len(), is_last: self.left == 0 })
    }
}

#[cfg(test)]
mod tests;
