//! Messages that a server sends as events, one after the other.

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use sse_stream::{Sse, SseStream};

/// Why a stream of events ends before its time.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("the connection broke: {0}")]
    Broken(#[source] hyper::Error),
    #[error("an event is longer than {0} bytes")]
    TooLong(usize),
}

/// The events of a body; one that is longer than the limit ends them.
///
/// Dropping it closes the connection.
pub(super) fn of(
    body: Incoming,
    limit: usize,
) -> BoxStream<'static, Result<Sse, sse_stream::Error>> {
    let mut bound = Bound::new(limit);
    let bytes = body.into_data_stream().map(move |chunk| {
        let chunk = chunk.map_err(Error::Broken)?;
        match bound.takes(&chunk) {
            true => Ok(chunk),
            false => Err(Error::TooLong(limit)),
        }
    });
    SseStream::from_bytes_stream(until_failed(bytes)).boxed()
}

/// A stream that ends with its first error.
fn until_failed(
    bytes: impl futures_util::Stream<Item = Result<Bytes, Error>> + Send + 'static,
) -> impl futures_util::Stream<Item = Result<Bytes, Error>> + Send + 'static {
    let mut failed = false;
    bytes.take_while(move |chunk| {
        let goes_on = !failed;
        failed = chunk.is_err();
        std::future::ready(goes_on)
    })
}

/// Counts the bytes of the event that is coming.
struct Bound {
    limit: usize,
    event: usize,
    /// Whether the line that is coming has begun.
    in_line: bool,
}

impl Bound {
    fn new(limit: usize) -> Self {
        Self { limit, event: 0, in_line: false }
    }

    /// Whether all events are short enough so far.
    fn takes(&mut self, chunk: &[u8]) -> bool {
        for byte in chunk {
            match byte {
                b'\r' => {}
                b'\n' if !self.in_line => self.event = 0,
                b'\n' => self.in_line = false,
                _ => self.in_line = true,
            }
            self.event += 1;
            if self.event > self.limit {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests;
