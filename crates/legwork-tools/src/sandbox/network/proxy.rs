//! One connection of a command to the proxy: `CONNECT`, and plain HTTP.

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
use legwork_port::network::{self, Target};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;

use super::egress::{Egress, Refusal};

/// Maximum size of the head of a request or a response, in bytes.
const HEAD_MAX: usize = 64 << 10;
/// Time limit for a command to send the head of a request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);

/// Hop-by-hop headers (RFC 9110, section 7.6.1) for which hyper has no constant.
const HOP_BY_HOP: [HeaderName; 2] =
    [HeaderName::from_static("proxy-connection"), HeaderName::from_static("keep-alive")];

type Body = BoxBody<Bytes, hyper::Error>;

/// Both ends of a tunnel, set by a `CONNECT` request and used once the response is sent.
type Tunnel = Arc<Mutex<Option<(OnUpgrade, TcpStream)>>>;

/// Serves a connection until it is closed.
pub(super) async fn serve(egress: Arc<Egress>, stream: TcpStream) {
    let tunnel = Tunnel::default();
    let service = service_fn(|request| respond(&egress, &tunnel, request));
    let connection = server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .half_close(true)
        .max_buf_size(HEAD_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    // An error concerns only this connection of the command.
    let _ = connection.await;
    let both = tunnel.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some((inside, mut outside)) = both
        && let Ok(inside) = inside.await
    {
        let _ = copy_bidirectional(&mut TokioIo::new(inside), &mut outside).await;
    }
}

async fn respond(
    egress: &Egress,
    tunnel: &Tunnel,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let Some(target) = target(&request) else {
        let usage =
            "legwork: not a valid proxy request: use CONNECT HOST:PORT or http://HOST/...\n";
        return Ok(text(StatusCode::BAD_REQUEST, usage.to_owned()));
    };
    Ok(match egress.connect(&target).await {
        Ok(outside) if request.method() == Method::CONNECT => {
            let both = (hyper::upgrade::on(request), outside);
            *tunnel.lock().unwrap_or_else(PoisonError::into_inner) = Some(both);
            Response::new(full(Bytes::new()))
        }
        Ok(outside) => forward(outside, request, &target).await.unwrap_or_else(|error| {
            text(StatusCode::BAD_GATEWAY, format!("legwork: request to {target} failed: {error}\n"))
        }),
        Err(why) => {
            let status = match why {
                Refusal::Unlisted | Refusal::Private => StatusCode::FORBIDDEN,
                Refusal::Unreachable(_) => StatusCode::BAD_GATEWAY,
            };
            text(status, format!("legwork: not connected to {target}: {why}\n"))
        }
    })
}

/// The target of a request; `None` if it is not a valid request to a proxy.
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
    // `Authority::port` does not distinguish an invalid port from a missing one.
    match authority.as_str().strip_prefix(authority.host())? {
        "" | ":" => default,
        port => network::port(port.strip_prefix(':')?),
    }
}

/// Sends a plain HTTP request to the target, and returns its response.
async fn forward(
    outside: TcpStream,
    mut request: Request<Incoming>,
    target: &Target,
) -> Result<Response<Body>, Box<dyn std::error::Error + Send + Sync>> {
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
    // The task ends when the response is complete or dropped.
    tokio::spawn(connection);
    let mut response = sender.send_request(request).await?;
    for name in [CONNECTION, UPGRADE].iter().chain(&HOP_BY_HOP) {
        response.headers_mut().remove(name);
    }
    Ok(response.map(|body| body.boxed()))
}

fn text(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(full(text.into()));
    *response.status_mut() = status;
    response
}

fn full(bytes: Bytes) -> Body {
    Full::new(bytes).map_err(|never| match never {}).boxed()
}
