//! What a command printed since the last reading.

use crate::bash::output::{Output, without_split_end};
use crate::process::Sink;

/// Most characters of a command line, or of an id, that are shown.
const LINE_MAX: usize = 120;

/// Output that was not read yet, within bounds: its head and its tail.
///
/// A character that is only half printed is held back until the rest of it comes.
#[derive(Debug)]
pub(super) struct Unread {
    output: Output,
    half: Vec<u8>,
    shown: usize,
}

impl Unread {
    /// Keeps at most about `shown` bytes between two readings.
    pub(super) fn new(shown: usize) -> Self {
        Self { output: Output::new(shown), half: Vec::new(), shown }
    }

    /// Whether there is nothing to read.
    pub(super) fn is_empty(&self) -> bool {
        self.output.total() == 0
    }

    /// Nothing more comes: what was held back is all there is of it.
    pub(super) fn close(&mut self) {
        let half = std::mem::take(&mut self.half);
        self.output.push(&half);
    }

    /// Gives the text and forgets it.
    pub(super) fn take(&mut self) -> String {
        std::mem::replace(&mut self.output, Output::new(self.shown)).into_text()
    }
}

impl Sink for Unread {
    fn push(&mut self, chunk: &[u8]) {
        let joined;
        let bytes = match self.half.is_empty() {
            true => chunk,
            false => {
                joined = [std::mem::take(&mut self.half).as_slice(), chunk].concat();
                &joined
            }
        };
        let whole = without_split_end(bytes);
        self.half.extend_from_slice(bytes.get(whole.len()..).unwrap_or_default());
        self.output.push(whole);
    }
}

/// The text in one line, its end left out where it is long.
pub(super) fn shortened(text: &str) -> String {
    // No more than could be shown is looked at.
    let start: String = text.chars().take(LINE_MAX * 4).collect();
    let line = start.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LINE_MAX) {
        Some((at, _)) => line.get(..at).unwrap_or_default().to_owned() + "…",
        None => line,
    }
}
