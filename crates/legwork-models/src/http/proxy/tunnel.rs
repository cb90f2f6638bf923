//! Tunnels through an HTTP proxy (RFC 9110, 9.3.6).

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use http::{Request, Uri};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper::upgrade;

use super::super::connect::{BoxError, Hop};
use super::{Error, Proxy, host_and_port};

/// The longest head of a proxy's answer.
const LONGEST_HEAD: usize = 16 << 10;

/// A tunnel to a server over a connection to a proxy.
///
/// # Errors
/// When the proxy does not answer, or refuses.
pub(super) async fn open(proxy: &Proxy, hop: Hop, server: &Uri) -> Result<Hop, Error> {
    let no_tunnel = |source: BoxError| proxy.no_tunnel(source);
    let request = request(proxy, server).map_err(|error| no_tunnel(error.into()))?;
    let mut builder = http1::Builder::new();
    let made = builder.max_buf_size(LONGEST_HEAD).handshake(hop).await;
    let (mut sender, driver) = made.map_err(|error| no_tunnel(error.into()))?;
    let mut driver = Driver(Some(driver.with_upgrades()));
    let answer = driver.until(sender.send_request(request)).await;
    let answer = answer.map_err(|error| no_tunnel(error.into()))?;
    if !answer.status().is_success() {
        return Err(Error::Refused { proxy: proxy.clone(), status: answer.status() });
    }
    let upgraded = driver.until(upgrade::on(answer)).await;
    let upgraded = upgraded.map_err(|error| no_tunnel(error.into()))?;
    match upgraded.downcast::<Hop>() {
        Ok(parts) if parts.read_buf.is_empty() => Ok(parts.io),
        // The server says nothing before it is spoken to.
        _ => Err(no_tunnel(io::Error::other("more than its answer came from it").into())),
    }
}

fn request(proxy: &Proxy, server: &Uri) -> Result<Request<Empty<Bytes>>, http::Error> {
    let (host, port) = host_and_port(server);
    let target = match host.contains(':') {
        true => format!("[{host}]:{port}"),
        false => format!("{host}:{port}"),
    };
    let host = HeaderValue::try_from(&target)?;
    let mut request = Request::connect(target).header(HOST, host).body(Empty::new())?;
    if let Some(authorization) = &proxy.authorization {
        request.headers_mut().insert(PROXY_AUTHORIZATION, authorization.clone());
    }
    Ok(request)
}

/// What reads and writes the connection; none once it has ended.
struct Driver<D>(Option<D>);

impl<D: Future + Unpin> Driver<D> {
    /// Drives the connection until some work on it is done.
    async fn until<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        poll_fn(|cx: &mut Context<'_>| {
            if let Poll::Ready(value) = work.as_mut().poll(cx) {
                return Poll::Ready(value);
            }
            if self.0.as_mut().is_some_and(|driver| Pin::new(driver).poll(cx).is_ready()) {
                self.0 = None;
                // The work gets what ended it.
                return work.as_mut().poll(cx);
            }
            Poll::Pending
        })
        .await
    }
}
