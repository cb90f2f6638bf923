//! The body of an answer, and the connection that it comes over.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::Response;
use hyper::body::{self, Body as _, Frame, Incoming, SizeHint};

use super::broken::Broken;
use super::connection::{Connection, Order};
use super::encoding::Decoder;
use super::idle::Idle;
use super::shared::User;

/// Pieces in a row, until other work of the task gets its turn.
///
/// What is decompressed, or was received by another task, may be there without end; time limits
/// and cancellation would have to wait for it.
const IN_A_ROW: u8 = 16;

/// The body of an answer, decompressed.
///
/// Read to its end, it leaves its connection to the next exchange; dropped before its end, it
/// closes the connection, or its stream of one that is shared.
#[derive(Debug)]
pub(crate) struct Body {
    source: Source,
    /// None if the body is not compressed.
    decoder: Option<Box<Decoder>>,
    /// Pieces since the last pause.
    pieces: u8,
}

/// What is received.
#[derive(Debug)]
enum Source {
    Owning {
        incoming: Incoming,
        /// None once the body has ended.
        connection: Option<Box<Connection>>,
        idle: Arc<Idle>,
    },
    Sharing {
        incoming: Incoming,
        _user: User,
    },
}

impl Body {
    /// Over a connection of its own.
    pub(super) fn owning(
        answer: Response<Incoming>,
        connection: Box<Connection>,
        idle: &Arc<Idle>,
    ) -> Response<Self> {
        let idle = Arc::clone(idle);
        Self::of(answer, |incoming| Source::Owning { incoming, connection: Some(connection), idle })
    }

    /// Over a stream of a connection that is shared.
    #[cfg_attr(not(feature = "http2"), expect(dead_code, reason = "no connection is shared"))]
    pub(super) fn sharing(answer: Response<Incoming>, user: User) -> Response<Self> {
        Self::of(answer, |incoming| Source::Sharing { incoming, _user: user })
    }

    fn of(answer: Response<Incoming>, source: impl FnOnce(Incoming) -> Source) -> Response<Self> {
        let decoder = Decoder::of(answer.headers()).map(Box::new);
        answer.map(|incoming| Self { source: source(incoming), decoder, pieces: 0 })
    }

    /// The next piece that another task or a decoder has, at most so many in a row.
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        loop {
            if self.pieces >= IN_A_ROW {
                self.pieces = 0;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            self.pieces += 1;
            if let Some(decoder) = &mut self.decoder
                && let Some(piece) = decoder.next().transpose()
            {
                return Poll::Ready(Some(piece.map(Frame::data)));
            }
            let came = self.source.poll(cx);
            self.pieces = if came.is_ready() { self.pieces } else { 0 };
            let (came, decoder) = match (ready!(came), &mut self.decoder) {
                (Some(Ok(came)), Some(decoder)) => (came, decoder),
                (None, Some(decoder)) => {
                    return Poll::Ready(decoder.finish().err().map(Err));
                }
                (came, _) => return Poll::Ready(came),
            };
            if let Ok(bytes) = came.into_data() {
                decoder.push(bytes);
            }
        }
    }
}

impl Source {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        match self {
            Self::Owning { incoming, connection, idle } => {
                poll_owning(incoming, connection, idle, cx)
            }
            Self::Sharing { incoming, .. } => {
                let frame = ready!(Pin::new(&mut *incoming).poll_frame(cx));
                Poll::Ready(match frame {
                    // For hyper some resets are an end.
                    None if !incoming.is_end_stream() => Some(Err(Broken::Reset)),
                    frame => frame.map(|frame| frame.map_err(Broken::Lost)),
                })
            }
        }
    }
}

fn poll_owning(
    incoming: &mut Incoming,
    connection: &mut Option<Box<Connection>>,
    idle: &Arc<Idle>,
    cx: &mut Context<'_>,
) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
    let Some(open) = connection else { return Poll::Ready(None) };
    let order = match incoming.size_hint().exact() {
        // It mostly came together with the head.
        Some(_) => Order::PartFirst,
        None => Order::DriveFirst,
    };
    let part = |cx: &mut Context<'_>| Pin::new(&mut *incoming).poll_frame(cx);
    let frame = ready!(open.poll(cx, order, part));
    if frame.is_none()
        && let Some(connection) = connection.take()
    {
        idle.put(connection);
    }
    Poll::Ready(frame.map(|frame| frame.map_err(Broken::Lost)))
}

impl body::Body for Body {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let this = self.get_mut();
        match (&mut this.source, &this.decoder) {
            // Its connection makes pauses.
            (source @ Source::Owning { .. }, None) => source.poll(cx),
            _ => this.poll_piece(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            Source::Owning { connection, .. } => connection.is_none(),
            Source::Sharing { incoming, .. } => incoming.is_end_stream() && self.decoder.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match (&self.source, &self.decoder) {
            (Source::Owning { incoming, .. } | Source::Sharing { incoming, .. }, None) => {
                incoming.size_hint()
            }
            _ => SizeHint::default(),
        }
    }
}

#[cfg(test)]
#[cfg(feature = "compression")]
mod tests;
