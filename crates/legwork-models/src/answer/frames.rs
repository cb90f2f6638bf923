//! Streams of binary frames, as AWS sends events (`application/vnd.amazon.eventstream`); no IO.
//!
//! A frame has its length, the length of its headers and a checksum of both, then the headers, the
//! payload and a checksum of all, by AWS's guide "Event stream encoding". It is read where it was
//! received, for an answer has a frame for each token.

use std::ops::Range;

use serde_json::Value;

use super::decode;
use super::error::ApiError;
use crate::bounds::Bounds;

mod header;

use header::{Headers, Invalid};

/// Reads frames from bytes that are cut anywhere; their checksums are checked.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    /// What came since the last whole frame was looked for.
    bytes: Vec<u8>,
    /// How much of it was read.
    read: usize,
    /// The headers of the last frame that was an event; most frames have the same ones.
    event: Vec<u8>,
    is_broken: bool,
}

/// One frame.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    /// JSON, or whatever else came.
    pub(crate) payload: &'a [u8],
    /// The name of an exception or error, which the payload says more of.
    exception: Option<String>,
}

/// Bytes of a frame before its headers: two lengths and a checksum.
const PRELUDE: usize = 12;

/// Bytes of a checksum.
const CHECKSUM: usize = 4;

/// Whether bytes are the beginning of a text, such as a page; the lengths of a frame have zeros
/// before them.
pub(crate) fn are_text(head: &[u8]) -> bool {
    !head.is_empty() && head.iter().take(PRELUDE).all(|byte| *byte >= b'\t')
}

impl Parser {
    /// Adds bytes; nothing behind a broken frame can be read.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if !self.is_broken {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// The next whole frame.
    pub(crate) fn next(&mut self) -> Option<Frame<'_>> {
        let begin = self.read;
        let layout = match Layout::of(self.bytes.get(begin..)?, &mut self.event) {
            Ok(Some(layout)) => layout,
            Ok(None) => {
                self.bytes.drain(..std::mem::take(&mut self.read));
                return None;
            }
            Err(Invalid) => {
                self.is_broken = true;
                (self.bytes, self.read) = Default::default();
                return None;
            }
        };
        self.read += layout.length;
        let frame = self.bytes.get(begin..self.read)?;
        Some(Frame { payload: frame.get(layout.payload)?, exception: layout.exception })
    }

    /// Bytes of a frame whose end did not come.
    pub(crate) fn held(&self) -> usize {
        self.bytes.len() - self.read
    }

    /// Whether a frame had another checksum or form than it should.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }
}

/// Where the parts of a frame are.
struct Layout {
    length: usize,
    payload: Range<usize>,
    exception: Option<String>,
}

impl Layout {
    /// The frame that begins here, if all of it came; `event` has the headers of an event.
    fn of(bytes: &[u8], event: &mut Vec<u8>) -> Result<Option<Self>, Invalid> {
        let Some((prelude, _)) = bytes.split_at_checked(PRELUDE) else { return Ok(None) };
        let length = number(prelude, 0)?;
        if length < PRELUDE + CHECKSUM {
            return Err(Invalid);
        }
        let Some(frame) = bytes.get(..length) else { return Ok(None) };
        check(frame)?;
        let begin = PRELUDE + number(prelude, 4)?;
        let mut payload = begin..length - CHECKSUM;
        if payload.start > payload.end {
            return Err(Invalid);
        }
        let bytes = frame.get(PRELUDE..begin).ok_or(Invalid)?;
        if bytes == event.as_slice() && !bytes.is_empty() {
            return Ok(Some(Self { length, payload, exception: None }));
        }
        let headers = Headers::read(bytes)?;
        if let Some(said) = headers.error_message.filter(|_| payload.is_empty()) {
            payload = PRELUDE + said.start..PRELUDE + said.end;
        } else if headers.exception.is_none() {
            event.clear();
            event.extend_from_slice(bytes);
        }
        Ok(Some(Self { length, payload, exception: headers.exception.map(str::to_owned) }))
    }
}

/// The number that is written at a place.
fn number(bytes: &[u8], at: usize) -> Result<usize, Invalid> {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or(Invalid)?;
    usize::try_from(u32::from_be_bytes(*bytes)).map_err(|_| Invalid)
}

/// Checks both checksums of a frame: of the lengths, and of all before the last one.
fn check(frame: &[u8]) -> Result<(), Invalid> {
    let (lengths, rest) = frame.split_at_checked(PRELUDE - CHECKSUM).ok_or(Invalid)?;
    let (rest, sum) = rest.split_last_chunk().ok_or(Invalid)?;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(lengths);
    let of_lengths = hasher.clone().finalize();
    hasher.update(rest);
    let sums = [rest.first_chunk().ok_or(Invalid)?, sum].map(|sum| u32::from_be_bytes(*sum));
    if sums == [of_lengths, hasher.finalize()] { Ok(()) } else { Err(Invalid) }
}

impl Frame<'_> {
    /// The error that it is, if it is one.
    pub(crate) fn error(&self, bounds: &Bounds) -> Option<ApiError> {
        let name = self.exception.as_deref()?;
        let value = decode::value(self.payload, bounds).unwrap_or_default();
        let value = match value {
            Value::Null => String::from_utf8_lossy(self.payload).into(),
            value => value,
        };
        Some(ApiError::of_exception(name, &value))
    }
}
