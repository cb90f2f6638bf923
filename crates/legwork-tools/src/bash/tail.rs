//! The last line that a running command printed, told to observers.

use std::time::Duration;

use legwork_port::ToolContext;
use tokio::time::Instant;

use super::output::Output;
use crate::process::Sink;

/// How often it is told at most.
const PERIOD: Duration = Duration::from_millis(100);
/// Bytes of a line that are told.
const TOLD: usize = 400;

/// Keeps what a command prints, and tells its last line as progress of the call.
pub(super) struct Tail<'c> {
    output: Output,
    cx: &'c ToolContext,
    /// The beginning of a line without an end.
    begun: Vec<u8>,
    /// When a line was told last.
    told: Option<Instant>,
}

impl<'c> Tail<'c> {
    pub(super) fn new(output: Output, cx: &'c ToolContext) -> Self {
        Self { output, cx, begun: Vec::new(), told: None }
    }

    /// What was printed.
    pub(super) fn into_output(self) -> Output {
        self.output
    }

    /// The last whole line that is not blank; what follows it is kept.
    fn last_line(&mut self, chunk: &[u8]) -> Option<String> {
        let Some(end) = memchr::memrchr(b'\n', chunk) else {
            self.begin(chunk);
            return None;
        };
        let (whole, rest) = chunk.split_at(end);
        let mut lines = whole.rsplit(|byte| *byte == b'\n').peekable();
        let mut last = None;
        while let Some(line) = lines.next() {
            let line = match lines.peek() {
                None => [self.begun.as_slice(), line].concat(),
                Some(_) => line.to_vec(),
            };
            if !line.trim_ascii().is_empty() {
                last = Some(line);
                break;
            }
        }
        self.begun.clear();
        self.begin(rest.get(1..).unwrap_or_default());
        let last = last?;
        let told = last.get(..TOLD.min(last.len())).unwrap_or_default();
        Some(String::from_utf8_lossy(told).trim_end().to_owned())
    }

    /// Passes over what is not told; a line that it begins may be.
    fn skip(&mut self, chunk: &[u8]) {
        let rest = memchr::memrchr(b'\n', chunk).and_then(|end| chunk.get(end + 1..));
        if rest.is_some() {
            self.begun.clear();
        }
        self.begin(rest.unwrap_or(chunk));
    }

    /// Keeps the beginning of a line.
    fn begin(&mut self, line: &[u8]) {
        let room = TOLD.saturating_sub(self.begun.len()).min(line.len());
        self.begun.extend_from_slice(line.get(..room).unwrap_or_default());
    }
}

impl Sink for Tail<'_> {
    fn push(&mut self, chunk: &[u8]) {
        self.output.push(chunk);
        let now = Instant::now();
        if self.told.is_some_and(|told| now.duration_since(told) < PERIOD) {
            self.skip(chunk);
        } else if let Some(line) = self.last_line(chunk) {
            self.told = Some(now);
            self.cx.progress(&line);
        }
    }
}

#[cfg(test)]
mod tests;
