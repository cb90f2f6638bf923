//! The body of an answer, and the connection that it comes over.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{self, Frame, Incoming, SizeHint};

use super::connection::{Connection, Order};
use super::idle::Idle;

/// The body of an answer; read to its end, it leaves its connection to the next exchange.
///
/// Dropped before its end, it closes the connection.
#[derive(Debug)]
pub(crate) struct Body {
    incoming: Incoming,
    /// None once the body has ended.
    connection: Option<Box<Connection>>,
    idle: Arc<Idle>,
}

impl Body {
    pub(super) fn new(incoming: Incoming, connection: Box<Connection>, idle: &Arc<Idle>) -> Self {
        Self { incoming, connection: Some(connection), idle: Arc::clone(idle) }
    }
}

impl body::Body for Body {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Self { incoming, connection, idle } = self.get_mut();
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
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.connection.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
