//! An answer over HTTP/2, frame by frame, and how it ends.

use std::future::poll_fn;
use std::sync::Arc;

use bytes::Bytes;
use h2::server::{Connection, SendResponse};
use h2::{Ping, PingPong, Reason, SendStream};
use http::Response;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::{Mutex, Semaphore};
use tokio_rustls::server::TlsStream;

use super::{Seen, flood};

/// An answer.
#[derive(Clone)]
pub(crate) struct Sent {
    /// When it begins, if not at once.
    pub(crate) go: Option<Arc<Semaphore>>,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// What the frames of its body hold.
    pub(crate) frames: Vec<Bytes>,
    pub(crate) end: End,
}

/// How an answer ends, once the client has all of its frames.
#[derive(Clone)]
pub(crate) enum End {
    /// As it should.
    Whole,
    /// Its stream is reset.
    Reset(Reason),
    /// The server goes away.
    GoAway(Reason),
    /// The connection is closed without a word.
    Closed,
    /// Nothing more comes.
    Silent,
    /// This comes again and again.
    Endless(Bytes),
    /// The same as long as the client takes it.
    Full(Bytes),
}

/// What the answers of a connection do with it.
pub(super) struct Link {
    pings: Mutex<PingPong>,
    /// With a reason it goes away, with none it is closed.
    gone: UnboundedSender<Option<Reason>>,
}

impl Link {
    pub(super) fn of(
        connection: &mut Connection<TlsStream<TcpStream>, Bytes>,
    ) -> (Arc<Self>, UnboundedReceiver<Option<Reason>>) {
        let (gone, told) = mpsc::unbounded_channel();
        let pings = Mutex::new(connection.ping_pong().unwrap());
        (Arc::new(Self { pings, gone }), told)
    }

    /// Waits until the client has received all that was sent before.
    async fn arrived(&self) {
        let mut pings = self.pings.lock().await;
        // The first ping may overtake frames, which are written before the second one.
        for _ in 0..2 {
            // Nobody answers if the connection is lost.
            let _ = pings.ping(Ping::opaque()).await;
        }
    }
}

impl Sent {
    pub(super) async fn send(self, mut respond: SendResponse<Bytes>, link: &Link, seen: &Seen) {
        if let Some(go) = &self.go {
            go.acquire().await.unwrap().forget();
        }
        let mut head = Response::builder().status(self.status);
        for (name, value) in self.headers {
            head = head.header(name, value);
        }
        let mut sent = respond.send_response(head.body(()).unwrap(), false).unwrap();
        for frame in self.frames {
            sent.send_data(frame, false).unwrap();
        }
        if !matches!(self.end, End::Whole) {
            link.arrived().await;
        }
        match self.end {
            // The client may have reset it.
            End::Whole => drop(sent.send_data(Bytes::new(), true)),
            End::Reset(reason) => sent.send_reset(reason),
            End::GoAway(reason) => link.gone.send(Some(reason)).unwrap(),
            End::Closed => link.gone.send(None).unwrap(),
            End::Silent => drop(poll_fn(|cx| sent.poll_reset(cx)).await),
            End::Endless(again) => flood(sent, again, seen).await,
            End::Full(again) => fill(sent, again, link, seen).await,
        }
    }
}

/// Sends until the client takes no more, and notes how much it took.
async fn fill(mut sent: SendStream<Bytes>, again: Bytes, link: &Link, seen: &Seen) {
    let (mut total, mut waits) = (0, 0);
    // What was sent may be still on its way; the client has all of it long before the last wait.
    while waits < 20 {
        sent.reserve_capacity(again.len());
        if sent.capacity() >= again.len() {
            sent.send_data(again.clone(), false).unwrap();
            (total, waits) = (total + again.len(), 0);
            continue;
        }
        link.arrived().await;
        waits += 1;
    }
    seen.full.send_replace(Some(total));
    let _ = poll_fn(|cx| sent.poll_reset(cx)).await;
}
