//! Recorded answers of real providers, to be played again.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;
use serde_json::Value;

/// One recorded request and its answer: one line of a recordings file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Recording {
    /// The name of the interaction; several rows may share it.
    pub name: String,
    /// Which row of that name it is; the first is 0.
    pub index: u64,
    /// The HTTP method.
    pub method: String,
    /// The path of the request.
    pub path: String,
    /// The body of the request.
    pub request: Value,
    /// The HTTP status of the answer.
    pub status: u16,
    /// The headers of the answer, names in lower case.
    #[serde(default)]
    pub response_headers: BTreeMap<String, String>,
    /// The body of the answer as it came; an event stream raw.
    pub response_body: String,
    /// Whether the answer was streamed.
    #[serde(default)]
    pub streaming: bool,
}

/// Why recordings cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read.
    #[error("the recordings {path} cannot be read: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is not a recording.
    #[error("line {line} of the recordings {path} is not a recording: {source}")]
    Line {
        /// The file.
        path: String,
        /// The number of the line; the first is 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl Recording {
    /// Reads one line.
    ///
    /// # Errors
    /// When it is not JSON, or a field is missing.
    pub fn from_line(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// Reads all lines of a file; empty ones are skipped.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is not a recording.
    pub fn read(path: impl AsRef<Path>) -> Result<Vec<Self>, Error> {
        let path = path.as_ref();
        let name = || path.display().to_string();
        let unreadable = |source| Error::Read { path: name(), source };
        let file = File::open(path).map_err(unreadable)?;
        let mut all = Vec::new();
        for (index, line) in BufReader::new(file).lines().enumerate() {
            let line = line.map_err(unreadable)?;
            if line.trim().is_empty() {
                continue;
            }
            let damaged = |source| Error::Line { path: name(), line: index + 1, source };
            all.push(Self::from_line(&line).map_err(damaged)?);
        }
        Ok(all)
    }
}

/// Recordings for a [`Server`](crate::Server) to answer with, a row a request.
#[derive(Debug, Default)]
pub struct Replay {
    rows: Vec<Recording>,
    cut: Cut,
    next: AtomicUsize,
}

#[derive(Debug, Clone, Default)]
enum Cut {
    #[default]
    Nowhere,
    Every(usize),
    At(Vec<usize>),
}

impl Replay {
    /// Answers requests with rows in order, each in one piece.
    pub fn new(rows: impl IntoIterator<Item = Recording>) -> Self {
        Self { rows: rows.into_iter().collect(), ..Self::default() }
    }

    /// The same, each body sent in pieces of so many bytes.
    #[must_use]
    pub fn split_every(self, bytes: usize) -> Self {
        Self { cut: Cut::Every(bytes.max(1)), ..self }
    }

    /// The same, each body cut at these byte offsets, also inside of characters.
    #[must_use]
    pub fn split_at(self, offsets: impl IntoIterator<Item = usize>) -> Self {
        Self { cut: Cut::At(offsets.into_iter().collect()), ..self }
    }

    /// The next row.
    pub(crate) fn next(&self) -> Option<&Recording> {
        self.rows.get(self.next.fetch_add(1, Ordering::SeqCst))
    }

    /// A body in pieces.
    pub(crate) fn pieces<'b>(&self, body: &'b [u8]) -> Vec<&'b [u8]> {
        match &self.cut {
            Cut::Nowhere => vec![body],
            Cut::Every(size) => body.chunks(*size).collect(),
            Cut::At(offsets) => cut_at(body, offsets),
        }
    }
}

fn cut_at<'b>(body: &'b [u8], offsets: &[usize]) -> Vec<&'b [u8]> {
    let mut offsets = offsets.to_vec();
    offsets.push(body.len());
    offsets.sort_unstable();
    let mut start = 0;
    let mut pieces = Vec::new();
    for end in offsets {
        if let Some(piece) = body.get(start..end).filter(|piece| !piece.is_empty()) {
            pieces.push(piece);
            start = end;
        }
    }
    pieces
}
