//! One connection to a server, driven by the exchange that uses it.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use hyper::client::conn::http1::{self, SendRequest};

use super::connect::Stream;
use super::metered::Metered;
use super::relay::Relay;

/// Bytes that are read at once, and the longest head of an answer.
const MOST_BUFFERED: usize = 64 << 10;

type Driver = http1::Connection<Metered<Stream>, Full<Bytes>>;

/// What a request is sent as.
pub(crate) type Outgoing = Request<Full<Bytes>>;

/// An HTTP/1 connection for one exchange after another.
///
/// No task of its own reads and writes it: the future that waits for an answer polls it, so that
/// an exchange that is dropped closes it, and no wake-up goes from task to task.
#[derive(Debug)]
pub(super) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    /// None once the connection has ended.
    driver: Option<Driver>,
    relay: Arc<Relay>,
    /// Wakes the relay.
    waker: Waker,
}

/// Whether a part may be there already, or the connection has to be driven to get it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    PartFirst,
    DriveFirst,
}

impl Connection {
    pub(super) async fn over(stream: Stream) -> hyper::Result<Self> {
        let mut builder = http1::Builder::new();
        let (sender, driver) =
            builder.max_buf_size(MOST_BUFFERED).handshake(Metered::new(stream)).await?;
        let relay = Arc::<Relay>::default();
        Ok(Self { sender, driver: Some(driver), waker: Waker::from(Arc::clone(&relay)), relay })
    }

    /// Sends a request and waits for the head of its answer.
    ///
    /// # Errors
    /// When the connection was lost; with the request if nothing of it was sent.
    pub(super) async fn send(
        &mut self,
        request: Box<Outgoing>,
    ) -> Result<Response<Incoming>, TrySendError<Outgoing>> {
        let mut answer = pin!(self.sender.try_send_request(*request));
        let (driver, relay, waker) = (&mut self.driver, &*self.relay, &self.waker);
        let mut poll = |cx: &mut Context<'_>| {
            drive(driver, cx);
            answer.as_mut().poll(cx)
        };
        poll_fn(|cx| relay.poll(waker, cx, &mut poll)).await
    }

    /// Reads and writes what can be, until `part` of it is there.
    pub(super) fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        order: Order,
        mut part: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let driver = &mut self.driver;
        self.relay.poll(&self.waker, cx, |cx| {
            if order == Order::PartFirst
                && let Poll::Ready(value) = part(cx)
            {
                return Poll::Ready(value);
            }
            drive(driver, cx);
            part(cx)
        })
    }

    /// Whether another request can be sent.
    pub(super) fn is_idle(&self) -> bool {
        self.driver.is_some() && self.sender.is_ready()
    }
}

/// Drives a connection until it ends; the reader of a part gets the error that ended it.
fn drive(driver: &mut Option<Driver>, cx: &mut Context<'_>) {
    if driver.as_mut().is_some_and(|driver| Pin::new(driver).poll(cx).is_ready()) {
        *driver = None;
    }
}
