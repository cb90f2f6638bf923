use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use hyper::rt::{Read, ReadBuf, ReadBufCursor};

use super::Metered;

/// A stream that always has another byte.
struct Endless;

impl Read for Endless {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        buffer.put_slice(b"x");
        Poll::Ready(Ok(()))
    }
}

#[test]
fn s13_10_a_stream_that_always_has_more_yields_after_a_few_reads() {
    let mut stream = Metered::new(Endless);
    let mut cx = Context::from_waker(Waker::noop());
    let mut reads = Vec::new();
    for _ in 0..9 {
        let mut memory = [0; 8];
        let mut buffer = ReadBuf::new(&mut memory);
        let came = Pin::new(&mut stream).poll_read(&mut cx, buffer.unfilled());
        assert_eq!(came.is_ready(), !buffer.filled().is_empty());
        reads.push(came.is_ready());
    }
    assert_eq!(reads, [true, true, false].repeat(3));
}
