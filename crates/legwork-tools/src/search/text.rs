//! The text of a file, in bounded memory whatever is in it.

use std::io::{self, Read};

use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink};

use crate::blocking::Stop;
use crate::tree::Regular;

/// Bytes of a file's opening that are looked at for a NUL.
const SNIFFED: usize = 8 * 1024;
/// Bytes that are read at once; most files are smaller, and are then searched in place.
const CHUNK: usize = 64 * 1024;
/// Bytes of a line that are searched; what is beyond is not looked at.
pub(super) const LINE_MAX: usize = 1024 * 1024;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Searched {
    /// It is text; whether a line was too long to be searched whole.
    Text { cut: bool },
    /// It holds NUL bytes near its beginning.
    Binary,
}

/// Searches files one after the other, with the same memory.
#[derive(Debug)]
pub(super) struct Texts {
    searcher: Searcher,
    head: Vec<u8>,
}

impl Texts {
    pub(super) fn new(searcher: Searcher) -> Self {
        Self { searcher, head: vec![0; CHUNK] }
    }

    /// Searches one file; a NUL further on counts as its end.
    ///
    /// # Errors
    /// When it cannot be read, or the caller has stopped waiting.
    pub(super) fn search<S: Sink<Error = io::Error>>(
        &mut self,
        matcher: &RegexMatcher,
        Regular { mut file, bytes }: Regular,
        sink: S,
        stop: &Stop,
    ) -> io::Result<Searched> {
        let read = fill(&mut file, &mut self.head, bytes)?;
        let head = self.head.get(..read).unwrap_or_default();
        let end = memchr::memchr(0, head);
        if end.is_some_and(|end| end < SNIFFED) {
            return Ok(Searched::Binary);
        }
        if read < CHUNK || end.is_some() {
            let end = end.unwrap_or(read);
            self.searcher.search_slice(matcher, head.get(..end).unwrap_or_default(), sink)?;
            return Ok(Searched::Text { cut: false });
        }
        let mut lines = Lines { from: head.chain(file), stop, length: 0, cut: false };
        self.searcher.search_reader(matcher, &mut lines, sink)?;
        Ok(Searched::Text { cut: lines.cut })
    }
}

/// Reads until the buffer is full, or the file at its end: where it was when it was opened,
/// or sooner.
fn fill(file: &mut impl Read, buffer: &mut [u8], bytes: u64) -> io::Result<usize> {
    let mut read = 0_usize;
    loop {
        let rest = buffer.get_mut(read..).unwrap_or_default();
        let more = match file.read(rest) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            more => more?,
        };
        read = read.saturating_add(more);
        if more == 0 || read == buffer.len() || u64::try_from(read).is_ok_and(|read| read == bytes)
        {
            return Ok(read);
        }
    }
}

/// Passes a text on without what its lines have beyond [`LINE_MAX`].
#[derive(Debug)]
pub(super) struct Lines<'a, R> {
    from: R,
    stop: &'a Stop,
    /// Bytes passed on since the last line ended.
    length: usize,
    cut: bool,
}

impl<R: Read> Read for Lines<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // No more at once than a line may have: only the first line in what
        // is read can then be too long.
        let most = buffer.len().min(LINE_MAX);
        let buffer = buffer.get_mut(..most).unwrap_or_default();
        loop {
            if self.stop.is_raised() {
                return Err(io::Error::other("the search was stopped"));
            }
            let read = self.from.read(buffer)?;
            let Some(new) = buffer.get_mut(..read).filter(|new| !new.is_empty()) else {
                return Ok(0);
            };
            let kept = self.keep(new);
            if kept > 0 {
                return Ok(kept);
            }
        }
    }
}

impl<R> Lines<'_, R> {
    /// Moves what is passed on to the front; how much that is.
    fn keep(&mut self, new: &mut [u8]) -> usize {
        let first_end = memchr::memchr(b'\n', new);
        let of_line = first_end.unwrap_or(new.len());
        let room = LINE_MAX.saturating_sub(self.length);
        let mut kept = new.len();
        if of_line > room {
            self.cut = true;
            new.copy_within(of_line.., room);
            kept = kept.saturating_sub(of_line.saturating_sub(room));
        }
        self.length = match memchr::memrchr(b'\n', new.get(..kept).unwrap_or_default()) {
            Some(end) => kept.saturating_sub(end.saturating_add(1)),
            None => self.length.saturating_add(kept),
        };
        kept
    }
}

#[cfg(test)]
impl<'a, R> Lines<'a, R> {
    pub(super) fn of(from: R, stop: &'a Stop) -> Self {
        Self { from, stop, length: 0, cut: false }
    }
}
