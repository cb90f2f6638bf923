//! One connection of a command with the proxy: `CONNECT`, and plain HTTP.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    CONNECTION, HOST, HeaderName, HeaderValue, PROXY_AUTHORIZATION, TE, TRAILER, UPGRADE,
};
use hyper::http::uri::Authority;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode, Uri, client, server};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;

use super::egress::{Egress, Refusal};
use super::host::{self, Target};

/// Bytes of the head of a request or an answer.
const HEAD_MAX: usize = 64 << 10;
/// How long a command may take to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);

/// Headers between a client and its proxy (RFC 9110, 7.6.1), apart from those that have a
/// constant.
const HOP_BY_HOP: [HeaderName; 2] =
    [HeaderName::from_static("proxy-connection"), HeaderName::from_static("keep-alive")];

type Answer = Response<BoxBody<Bytes, hyper::Error>>;

/// A connection that was asked for with `CONNECT`: both its ends, once the answer is sent.
type Tunnel = Arc<Mutex<Option<(OnUpgrade, TcpStream)>>>;

/// Serves a connection to its end.
pub(super) async fn serve(egress: Arc<Egress>, stream: TcpStream) {
    let tunnel = Tunnel::default();
    let service = service_fn(|request| answer(&egress, &tunnel, request));
    let connection = server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .half_close(true)
        .max_buf_size(HEAD_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    // An error here concerns the command's own connection only.
    let _ = connection.await;
    let both = tunnel.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((inside, mut outside)) = both
        && let Ok(inside) = inside.await
    {
        let _ = copy_bidirectional(&mut TokioIo::new(inside), &mut outside).await;
    }
}

async fn answer(
    egress: &Egress,
    tunnel: &Tunnel,
    request: Request<Incoming>,
) -> Result<Answer, Infallible> {
    let Some(target) = target(&request) else {
        let usage = "legwork: ask this proxy with CONNECT HOST:PORT, or for http://HOST/...\n";
        return Ok(says(StatusCode::BAD_REQUEST, usage.to_owned()));
    };
    Ok(match egress.connect(&target).await {
        Ok(outside) if request.method() == Method::CONNECT => {
            let both = (hyper::upgrade::on(request), outside);
            *tunnel.lock().unwrap_or_else(PoisonError::into_inner) = Some(both);
            Response::new(body(Bytes::new()))
        }
        Ok(outside) => forward(outside, request, &target).await.unwrap_or_else(|error| {
            says(StatusCode::BAD_GATEWAY, format!("legwork: {target}: {error}\n"))
        }),
        Err(why) => {
            let status = match why {
                Refusal::Unlisted | Refusal::Private => StatusCode::FORBIDDEN,
                Refusal::Unreachable(_) => StatusCode::BAD_GATEWAY,
            };
            says(status, format!("legwork: not connected to {target}: {why}\n"))
        }
    })
}

/// The target of a request; none if it is not a request to a proxy.
fn target(request: &Request<Incoming>) -> Option<Target> {
    let authority = request.uri().authority()?;
    let default = match (request.method() == Method::CONNECT, request.uri().scheme_str()) {
        (true, _) => None,
        (false, Some("http")) => Some(80),
        (false, _) => return None,
    };
    if authority.as_str().contains('@') {
        return None;
    }
    Target::new(authority.host(), port(authority, default)?)
}

/// The port of an authority without user information; `None` if it is invalid.
///
/// The default applies if the port is missing or empty (RFC 3986, section 3.2.3).
fn port(authority: &Authority, default: Option<u16>) -> Option<u16> {
    // `Authority::port` does not tell an invalid port from a missing one.
    match authority.as_str().strip_prefix(authority.host())? {
        "" | ":" => default,
        port => host::port(port.strip_prefix(':')?),
    }
}

/// Sends a request of plain HTTP on, and its answer back.
async fn forward(
    outside: TcpStream,
    mut request: Request<Incoming>,
    target: &Target,
) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    *request.uri_mut() = path.parse::<Uri>()?;
    let headers = request.headers_mut();
    for name in [CONNECTION, PROXY_AUTHORIZATION, TE, TRAILER, UPGRADE].iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
    headers.insert(HOST, HeaderValue::try_from(target.authority())?);
    let (mut sender, connection) = client::conn::http1::Builder::new()
        .max_buf_size(HEAD_MAX)
        .handshake(TokioIo::new(outside))
        .await?;
    // It ends with the answer, or when the answer is let go of.
    tokio::spawn(connection);
    let mut response = sender.send_request(request).await?;
    for name in [CONNECTION, UPGRADE].iter().chain(&HOP_BY_HOP) {
        response.headers_mut().remove(name);
    }
    Ok(response.map(|body| body.boxed()))
}

fn says(status: StatusCode, text: String) -> Answer {
    let mut answer = Response::new(body(text.into()));
    *answer.status_mut() = status;
    answer
}

fn body(bytes: Bytes) -> BoxBody<Bytes, hyper::Error> {
    Full::new(bytes).map_err(|never| match never {}).boxed()
}
