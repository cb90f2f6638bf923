//! One HTTP client for every wire: built late, cheap for plain `http`.
//!
//! Needs the feature `openai`, `Proxies` the feature `proxy`.

mod body;
mod broken;
mod connect;
mod connection;
#[cfg_attr(not(feature = "compression"), path = "http/encoding/none.rs")]
mod encoding;
mod idle;
mod metered;
mod opening;
#[cfg_attr(not(feature = "proxy"), path = "http/proxy/none.rs")]
pub(crate) mod proxy;
mod relay;
mod request;
#[cfg_attr(not(feature = "http2"), path = "http/shared/none.rs")]
mod shared;
mod watch;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::uri::Authority;
use http::{Response, Uri};
use legwork_port::Clock;
use tokio::sync::OnceCell;
use tracing::debug;
use tracing::field::display;

use connect::Connector;
use connection::Connection;
use idle::Idle;
use opening::{Opened, Opening};
use shared::Shared;

pub(crate) use body::Body;
pub(crate) use broken::Broken;
pub(crate) use connection::Outgoing;
pub(crate) use encoding::accepted;
pub(crate) use proxy::Proxy;
#[cfg(feature = "proxy")]
pub use proxy::{InvalidProxy, Proxies};
pub(crate) use request::{template, with_body};
pub(crate) use watch::{Late, Limits, Watch};

/// How long the parts of an exchange may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection is open.
    pub connect: Duration,
    /// From sending the request to the first byte of the answer's body.
    pub first_byte: Duration,
    /// Between two pieces of the answer's body.
    pub idle: Duration,
    /// Between two pieces with content: comments, white space and parts of an event that does
    /// not end count as silence.
    pub silence: Duration,
    /// From the first byte of the answer's body to its end. An answer that takes longer is cut
    /// off, and the request is not repeated.
    pub answer: Duration,
}

impl Default for Timeouts {
    /// 10 s to connect, 300 s to the first byte, 120 s between pieces, 600 s between pieces
    /// with content, an hour for the answer.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(120),
            silence: Duration::from_secs(600),
            answer: Duration::from_secs(3_600),
        }
    }
}

/// A client of one server, made when the first request needs it.
///
/// It uses hyper's connections directly. The pool of hyper-util's client serves many servers
/// and drives each connection in a task of its own, which costs about 12,000 instructions a
/// request more; an HTTP/2 connection, which many exchanges share, has such a task. Proxies come
/// from no environment, no redirect is followed, for it would carry the key away, and whether to
/// try again is the wire's to say, who counts what it may cost.
///
/// For `http` no certificate is loaded; for `https` those of the system are, once, on a
/// thread that may wait for them.
#[derive(Debug)]
pub(crate) struct Client {
    server: Uri,
    proxy: Option<Proxy>,
    connector: OnceCell<Connector>,
    idle: Arc<Idle>,
    opening: Opening,
    /// How long it may take to connect.
    limit: Duration,
}

impl Client {
    pub(crate) fn new(server: &Uri, timeouts: Timeouts, proxy: Option<Proxy>) -> Self {
        Self {
            server: server.clone(),
            proxy,
            connector: OnceCell::new(),
            idle: Arc::default(),
            opening: Opening::to(server),
            limit: timeouts.connect,
        }
    }

    /// The same that trusts these certificates instead of those of the system.
    #[cfg(test)]
    #[cfg(all(feature = "http2", feature = "proxy"))]
    pub(crate) fn trusting(self, roots: rustls::RootCertStore) -> Self {
        let connector = connect::trusting(self.limit, self.proxy.clone(), roots);
        Self { connector: OnceCell::new_with(Some(connector)), ..self }
    }

    /// The server, to be shown: without a path, which may say whose account is used.
    pub(crate) fn origin(&self) -> impl fmt::Display {
        fmt::from_fn(|f| {
            let scheme = self.server.scheme_str().unwrap_or_default();
            let authority = self.server.authority().map_or("", Authority::as_str);
            write!(f, "{scheme}://{authority}")
        })
    }

    /// The proxy that requests go through.
    pub(crate) fn proxy(&self) -> Option<&Proxy> {
        self.proxy.as_ref()
    }

    /// Sends a request; what comes back is the answer's head, with the way to its body.
    ///
    /// A request that an idle connection did not take, for the server had closed it, goes
    /// over the next one.
    ///
    /// # Errors
    /// When no client could be made, which is not remembered, or no answer came.
    pub(crate) async fn send(
        &self,
        clock: &dyn Clock,
        mut request: Box<Outgoing>,
    ) -> Result<Response<Body>, Broken> {
        while let Some(opened) = self.idle.take() {
            request = match self.send_over(opened, request).await {
                Ok(answer) => return Ok(answer),
                Err(Lost { unsent: Some(request), .. }) => request,
                Err(lost) => return Err(lost.error),
            };
        }
        // In a box, for it happens rarely and would make each request's future large.
        let opened = Box::pin(self.opening.next(&self.idle, self.connect(clock))).await?;
        self.send_over(opened, request).await.map_err(|lost| lost.error)
    }

    async fn send_over(
        &self,
        opened: Opened,
        request: Box<Outgoing>,
    ) -> Result<Response<Body>, Lost> {
        match opened {
            Opened::Exclusive(mut connection) => match connection.send(request).await {
                Ok(answer) => Ok(Body::owning(answer, connection, &self.idle)),
                Err(mut lost) => Err(Lost {
                    unsent: lost.take_message().map(Box::new),
                    error: Broken::NotAnswered(lost.into_error()),
                }),
            },
            // In a box, for what waits for an answer over HTTP/1 is to stay small.
            Opened::Shared(shared) => {
                let answer = Box::pin(shared.send(&self.server, request)).await;
                answer.inspect_err(|lost| self.idle.forget_shared(lost))
            }
        }
    }

    async fn connect(&self, clock: &dyn Clock) -> Result<Opened, Broken> {
        let connector = self.connector.get_or_try_init(|| self.connector());
        let connector = connector.await.map_err(Broken::NotMade)?;
        let stream = connector.connect(clock, &self.server, self.limit).await;
        let stream = stream.map_err(Broken::NotConnected)?;
        if Shared::is_wanted(&stream) {
            let shared = Shared::over(stream).await.map_err(Broken::NotTaken)?;
            self.report_opened("HTTP/2");
            self.idle.share(&shared);
            return Ok(Opened::Shared(shared));
        }
        let connection = Connection::over(stream).await.map_err(Broken::NotAnswered)?;
        self.report_opened("HTTP/1.1");
        Ok(Opened::Exclusive(Box::new(connection)))
    }

    fn report_opened(&self, protocol: &str) {
        let proxy = self.proxy.as_ref().map(display);
        debug!(server = %self.origin(), protocol, proxy, "a connection was opened");
    }

    async fn connector(&self) -> io::Result<Connector> {
        let (limit, proxy) = (self.limit, self.proxy.clone());
        let is_plain = self.server.scheme_str() == Some("http");
        if is_plain && !proxy.as_ref().is_some_and(Proxy::is_encrypted) {
            return Ok(connect::plain(limit, proxy));
        }
        tokio::task::spawn_blocking(move || connect::tls(limit, proxy)).await?
    }
}

/// A request that got no answer.
struct Lost {
    /// The request, if nothing of it was sent.
    unsent: Option<Box<Outgoing>>,
    error: Broken,
}
