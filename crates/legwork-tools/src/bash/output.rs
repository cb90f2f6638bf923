//! What a command printed: its head and its tail, within bounds.

use std::collections::VecDeque;

use crate::process::Sink;

/// Keeps the first and the last bytes of a stream and counts the rest.
///
/// Memory is bounded by `limit`, whatever the command prints.
#[derive(Debug)]
pub(crate) struct Output {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
}

impl Output {
    /// Shows at most about `limit` bytes, half of them from each end.
    pub(crate) fn new(limit: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), half: limit / 2, total: 0 }
    }

    /// Bytes printed in all.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The text to show; broken UTF-8 and NUL become U+FFFD.
    pub(crate) fn into_text(mut self) -> String {
        let kept = (self.head.len() + self.tail.len()) as u64;
        if kept == self.total {
            self.head.extend(self.tail);
            return text(&self.head);
        }
        let tail = self.tail.make_contiguous();
        let head = without_split_end(&self.head);
        let tail = without_split_start(tail);
        let left_out = self.total.saturating_sub((head.len() + tail.len()) as u64);
        let total = self.total;
        format!(
            "{}\n[… {left_out} of {total} bytes left out here; send the output to a file to read all of it …]\n{}",
            text(head),
            text(tail)
        )
    }
}

impl Sink for Output {
    fn push(&mut self, chunk: &[u8]) {
        self.total = self.total.saturating_add(chunk.len() as u64);
        let room = self.half.saturating_sub(self.head.len()).min(chunk.len());
        let (first, rest) = chunk.split_at(room);
        self.head.extend_from_slice(first);
        let skipped = rest.len().saturating_sub(self.half);
        self.tail.extend(rest.get(skipped..).unwrap_or_default());
        let over = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..over);
    }
}

fn text(bytes: &[u8]) -> String {
    // Several wires and databases refuse a NUL inside a string.
    String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}")
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Drops the character that the cut behind these bytes went through.
pub(super) fn without_split_end(bytes: &[u8]) -> &[u8] {
    let last = bytes.iter().rposition(|&byte| !is_continuation(byte));
    let Some(at) = last.filter(|at| bytes.len() - at <= 3) else {
        return bytes;
    };
    let (before, last) = bytes.split_at(at);
    let needed = match last.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => 1,
    };
    if last.len() < needed { before } else { bytes }
}

/// Drops the rest of the character that the cut before these bytes went through.
fn without_split_start(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().take(4).position(|&byte| !is_continuation(byte)).unwrap_or(0);
    bytes.get(start..).unwrap_or_default()
}
