//! The part of a file that is shown: numbered lines within bounds, sans-IO.

use std::fmt::Write as _;

/// Most lines of one page.
pub(super) const LINES_MAX: usize = 2_000;
/// Most bytes of one page, line numbers included.
pub(super) const BYTES_MAX: usize = 50 * 1024;
/// Most bytes shown of one line.
const LINE_MAX: usize = 8 * 1024;
/// A page with more than one broken byte in this many is not text.
const BROKEN_SHARE: usize = 10;

/// Bytes of a file's opening that are searched for a sign that it is not text.
const SNIFFED: usize = 8 * 1024;

/// The byte order mark of UTF-8: no part of the text.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Whether a page wants more of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    More,
    Nothing,
}

/// Why a file is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Nul,
    Utf16,
    NotUtf8,
}

/// Takes a file chunk by chunk and keeps only the lines that were asked for.
///
/// Memory is bounded by the page, whatever the size of the file or its lines.
#[derive(Debug)]
pub(super) struct Page {
    first: usize,
    limit: usize,
    /// Number of the line under way, from 1.
    number: usize,
    /// What is kept of the line under way, and how long it really is.
    line: Vec<u8>,
    length: u64,
    text: String,
    shown: usize,
    replaced: usize,
    full: bool,
    binary: Option<Binary>,
    started: bool,
    marked: bool,
}

impl Page {
    pub(super) fn new(first: usize, limit: usize) -> Self {
        Self {
            first: first.max(1),
            limit: limit.clamp(1, LINES_MAX),
            number: 1,
            line: Vec::new(),
            length: 0,
            text: String::new(),
            shown: 0,
            replaced: 0,
            full: false,
            binary: None,
            started: false,
            marked: false,
        }
    }

    pub(super) fn push(&mut self, chunk: &[u8]) -> Want {
        let mut rest = chunk;
        if !self.started && !chunk.is_empty() {
            self.started = true;
            self.binary = sniff(chunk);
            self.marked = chunk.starts_with(MARK);
            rest = chunk.strip_prefix(MARK).unwrap_or(chunk);
        }
        while !rest.is_empty() && self.binary.is_none() && !self.full {
            if self.shown == self.limit {
                self.full = true;
                break;
            }
            let Some(end) = memchr::memchr(b'\n', rest) else {
                self.extend(rest);
                break;
            };
            let (line, after) = rest.split_at(end);
            self.extend(line);
            self.end_line();
            rest = after.get(1..).unwrap_or_default();
        }
        if self.full || self.binary.is_some() { Want::Nothing } else { Want::More }
    }

    /// The text for the model, after the last chunk or once nothing is wanted.
    pub(super) fn finish(mut self) -> Result<Excerpt, Binary> {
        if self.length > 0 && !self.full {
            self.end_line();
        }
        if let Some(binary) = self.binary {
            return Err(binary);
        }
        if self.replaced > 0 && self.replaced * BROKEN_SHARE > self.text.len() {
            return Err(Binary::NotUtf8);
        }
        Ok(Excerpt {
            first: self.first,
            lines: self.shown,
            replaced: self.replaced,
            more: self.full,
            marked: self.marked && self.first == 1,
            total: self.number.saturating_sub(1),
            text: self.text,
        })
    }

    fn extend(&mut self, part: &[u8]) {
        self.length = self.length.saturating_add(part.len() as u64);
        if self.number < self.first {
            return;
        }
        let room = LINE_MAX.saturating_sub(self.line.len()).min(part.len());
        let kept = part.get(..room).unwrap_or_default();
        if memchr::memchr(0, kept).is_some() {
            self.binary = Some(Binary::Nul);
        }
        self.line.extend_from_slice(kept);
    }

    fn end_line(&mut self) {
        if self.number >= self.first {
            self.show_line();
        }
        if !self.full {
            self.number = self.number.saturating_add(1);
        }
        self.line.clear();
        self.length = 0;
    }

    fn show_line(&mut self) {
        if self.binary.is_some() {
            return;
        }
        let (line, replaced) = rendered(self.number, &self.line, self.length);
        if self.shown > 0 && self.text.len() + line.len() > BYTES_MAX {
            self.full = true;
            return;
        }
        self.text.push_str(&line);
        self.shown = self.shown.saturating_add(1);
        self.replaced = self.replaced.saturating_add(replaced);
    }
}

/// A page that was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) first: usize,
    pub(super) lines: usize,
    /// How many broken byte sequences were replaced.
    pub(super) replaced: usize,
    /// Lines follow that were not shown.
    pub(super) more: bool,
    /// A byte order mark comes before the first line.
    pub(super) marked: bool,
    /// Lines seen so far; of the whole file when nothing follows.
    pub(super) total: usize,
    pub(super) text: String,
}

fn sniff(chunk: &[u8]) -> Option<Binary> {
    if chunk.starts_with(&[0xff, 0xfe]) || chunk.starts_with(&[0xfe, 0xff]) {
        return Some(Binary::Utf16);
    }
    let opening = chunk.get(..SNIFFED).unwrap_or(chunk);
    memchr::memchr(0, opening).map(|_| Binary::Nul)
}

fn rendered(number: usize, kept: &[u8], length: u64) -> (String, usize) {
    let cut = length > kept.len() as u64;
    let whole = if cut { whole_characters(kept) } else { kept };
    let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
    let mut line = format!("{number:>6}\t");
    let mut replaced = 0_usize;
    for chunk in whole.utf8_chunks() {
        line.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            line.push(char::REPLACEMENT_CHARACTER);
            replaced = replaced.saturating_add(1);
        }
    }
    if cut {
        let shown = whole.len();
        let next = shown.saturating_add(1);
        // Writing to a string cannot fail.
        let _ = write!(
            line,
            " [line cut: {shown} of its {length} bytes shown; the shell can show the rest: sed -n {number}p FILE | cut -b {next}-]"
        );
    }
    line.push('\n');
    (line, replaced)
}

/// Without the character that the cut went through, if it did.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    let tail = bytes.len().saturating_sub(3);
    let start =
        (tail..bytes.len()).rev().find(|&at| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0xc0));
    match start {
        Some(at) if std::str::from_utf8(bytes.get(at..).unwrap_or_default()).is_err() => {
            bytes.get(..at).unwrap_or(bytes)
        }
        _ => bytes,
    }
}
