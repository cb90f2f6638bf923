//! Streams of binary frames, as AWS sends events (`application/vnd.amazon.eventstream`); no IO.

use aws_smithy_eventstream::frame::{DecodedFrame, MessageFrameDecoder};
use bytes::{Bytes, BytesMut};
use serde_json::Value;

use super::decode;
use super::error::ApiError;
use crate::bounds::Bounds;

/// Reads frames from bytes that are cut anywhere; their checksums are checked.
#[derive(Debug, Default)]
pub(crate) struct Parser {
    decoder: MessageFrameDecoder,
    /// What came and was not read.
    bytes: BytesMut,
    is_broken: bool,
}

/// One frame.
#[derive(Debug)]
pub(crate) struct Frame {
    /// JSON, or whatever else came.
    pub(crate) payload: Bytes,
    /// The name of an exception or error, which the payload says more of.
    exception: Option<String>,
}

/// Bytes of a frame before its headers: two lengths and a checksum.
const PRELUDE: usize = 12;

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
    pub(crate) fn next(&mut self) -> Option<Frame> {
        if self.is_broken {
            return None;
        }
        match self.decoder.decode_frame(&mut self.bytes) {
            Ok(DecodedFrame::Incomplete) => None,
            Ok(DecodedFrame::Complete(message)) => {
                let text = |name: &str| {
                    let mut headers = message.headers().iter();
                    let header = headers.find(|header| header.name().as_str() == name)?;
                    Some(header.value().as_string().ok()?.as_str())
                };
                let exception = match text(":message-type") {
                    Some("exception") => text(":exception-type").or(Some("")),
                    Some("error") => text(":error-code").or(Some("")),
                    _ => None,
                };
                let exception = exception.map(str::to_owned);
                let payload = match (text(":error-message"), message.payload()) {
                    (Some(said), payload) if payload.is_empty() => {
                        Bytes::copy_from_slice(said.as_bytes())
                    }
                    (_, payload) => payload.clone(),
                };
                Some(Frame { payload, exception })
            }
            Err(_) => {
                self.is_broken = true;
                self.bytes = BytesMut::new();
                None
            }
        }
    }

    /// Bytes of a frame whose end did not come.
    pub(crate) fn held(&self) -> usize {
        self.bytes.len()
    }

    /// Whether a frame had another checksum or form than it should.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }
}

impl Frame {
    /// The error that it is, if it is one.
    pub(crate) fn error(&self, bounds: &Bounds) -> Option<ApiError> {
        let name = self.exception.as_deref()?;
        let value = decode::value(&self.payload, bounds).unwrap_or_default();
        let value = match value {
            Value::Null => String::from_utf8_lossy(&self.payload).into(),
            value => value,
        };
        Some(ApiError::of_exception(name, &value))
    }
}
