//! A stream that gives way to others now and then, however fast it brings something.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};

/// Reads in a row.
const IN_A_ROW: u8 = 2;

/// A stream that is never ready for long.
///
/// A server that sends faster than it is read would otherwise keep its task busy for as much as
/// Tokio allows, 128 reads: time limits and whoever cancels wait that long.
#[derive(Debug)]
pub(super) struct Metered<S> {
    stream: S,
    reads: u8,
}

impl<S> Metered<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, reads: 0 }
    }
}

impl<S: Read + Unpin> Read for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if self.reads >= IN_A_ROW {
            self.reads = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let came = Pin::new(&mut self.stream).poll_read(cx, buffer);
        // Where there is nothing more, the others have their turn.
        self.reads = if came.is_ready() { self.reads + 1 } else { 0 };
        came
    }
}

impl<S: Write + Unpin> Write for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }
}
