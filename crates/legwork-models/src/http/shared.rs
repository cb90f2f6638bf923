//! One HTTP/2 connection, which many exchanges share.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::HOST;
use http::uri::{Authority, Scheme};
use http::{Response, Uri};
use http_body_util::Full;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_rustls::MaybeHttpsStream;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::Lost;
use super::body::Body;
use super::broken::Broken;
use super::connect::Stream;
use super::connection::Outgoing;
use super::metered::Metered;

/// What is offered to a server, in the order of preference.
pub(super) const OFFERED: &[&[u8]] = &[H2, b"http/1.1"];

/// Whether connections may be shared.
pub(super) const IS_POSSIBLE: bool = true;

const H2: &[u8] = b"h2";

/// The longest head of an answer.
const LONGEST_HEAD: u32 = 64 << 10;

/// How long a connection that carries exchanges may be silent before it is asked whether it
/// is still open; what answers a keep-alive of TCP may be a proxy.
const PING: Duration = Duration::from_secs(15);

/// How long it may take to answer that.
const PONG: Duration = Duration::from_secs(30);

/// An HTTP/2 connection; a clone of it is the same one.
///
/// A task of its own drives it, on the runtime of the exchange that opened it. It ends once
/// the connection is dropped everywhere and its last exchange is over, or with that runtime; the
/// next exchange opens another one.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    sender: SendRequest<Full<Bytes>>,
    /// Held by each exchange.
    users: Arc<()>,
}

/// An exchange that uses a connection.
#[derive(Debug)]
pub(super) struct User(#[expect(dead_code, reason = "it is counted")] Arc<()>);

impl Shared {
    /// Whether a server chose HTTP/2.
    pub(super) fn is_wanted(stream: &Stream) -> bool {
        match stream {
            MaybeHttpsStream::Https(tls) => tls.inner().get_ref().1.alpn_protocol() == Some(H2),
            MaybeHttpsStream::Http(_) => false,
        }
    }

    pub(super) async fn over(stream: Stream) -> hyper::Result<Self> {
        let mut builder = Builder::new(TokioExecutor::new());
        builder.timer(TokioTimer::new()).keep_alive_interval(PING).keep_alive_timeout(PONG);
        builder.max_header_list_size(LONGEST_HEAD);
        let (sender, driver) = builder.handshake(Metered::new(stream)).await?;
        // The exchanges get the error that ends it.
        tokio::spawn(async { drop(driver.await) });
        Ok(Self { sender, users: Arc::default() })
    }

    /// Whether another request can be sent.
    pub(super) fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Whether another exchange than the caller's uses it.
    pub(super) fn is_used(&self) -> bool {
        Arc::strong_count(&self.users) > 1
    }

    /// Sends a request and waits for the head of its answer.
    pub(super) async fn send(
        self,
        server: &Uri,
        request: Box<Outgoing>,
    ) -> Result<Response<Body>, Lost> {
        let Self { mut sender, users } = self;
        match sender.try_send_request(for_http2(server, (*request).clone())).await {
            Ok(answer) => Ok(Body::sharing(answer, User(users))),
            Err(mut lost) => {
                let unsent = lost.take_message().map(|_| request);
                let error = lost.into_error();
                let error = match unsent.is_some() || is_not_taken(&error) {
                    true => Broken::NotTaken(error),
                    false => Broken::NotAnswered(error),
                };
                Err(Lost { unsent, error })
            }
        }
    }
}

/// The same request, with the server in its address instead of its headers.
fn for_http2(server: &Uri, mut request: Outgoing) -> Outgoing {
    let host = request.headers_mut().remove(HOST);
    let host = host.and_then(|host| Authority::try_from(host.as_bytes()).ok());
    let mut parts = request.uri().clone().into_parts();
    parts.scheme = Some(Scheme::HTTPS);
    parts.authority = host.or_else(|| server.authority().cloned());
    if let Ok(uri) = Uri::from_parts(parts) {
        *request.uri_mut() = uri;
    }
    request
}

/// Whether the server says that it did not begin to work on the request: it refused the stream,
/// or goes away in order (RFC 9113, 8.7).
fn is_not_taken(error: &hyper::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<h2::Error>());
    cause.filter(|cause| cause.is_remote()).is_some_and(|cause| match cause.reason() {
        Some(h2::Reason::REFUSED_STREAM) => cause.is_reset(),
        Some(h2::Reason::NO_ERROR) => cause.is_go_away(),
        _ => false,
    })
}
