//! The server over HTTP.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use legwork_port::Cancellation;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::handler::Handler;

#[cfg(test)]
mod tests;

/// What is before a token.
const SCHEME: &[u8] = b"Bearer ";
/// Where the protocol is spoken.
const PATH: &str = "/mcp";
/// Connections at once.
const CONNECTIONS: usize = 256;
/// How long the head of a request may take, and its body.
const HEAD: Duration = Duration::from_secs(30);
const BODY: Duration = Duration::from_secs(60);
/// Bytes of a body.
const BYTES: usize = 4 << 20;
/// Sessions of clients of the revision of 2025 at once, and how long one may be silent: a person
/// may take long to answer.
const SESSIONS: usize = 1_000;
const SILENT: Duration = Duration::from_secs(12 * 60 * 60);

/// Who may use a server over HTTP.
#[derive(Clone)]
#[non_exhaustive]
pub enum Access {
    /// All programs of this machine that use one of its local names, of any user. Commands of the
    /// agent may be among them, and could approve their own calls. For tests.
    ///
    /// A browser that shows a page of another origin is refused, so that no page of the web
    /// reaches the server (DNS rebinding).
    Local,
    /// Who sends this token (`Authorization: Bearer ...`), under any name.
    Token(String),
}

type Body = http_body_util::combinators::BoxBody<hyper::body::Bytes, std::convert::Infallible>;

/// What answers requests.
struct Served {
    service: StreamableHttpService<Handler, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
}

pub(crate) async fn serve(
    handler: impl Fn() -> Handler + Send + Sync + 'static,
    listener: TcpListener,
    access: Access,
    stop: &Cancellation,
) -> Result<(), io::Error> {
    let at = listener.local_addr()?;
    let config = StreamableHttpServerConfig::default();
    let config = match &access {
        Access::Local if !at.ip().is_loopback() => {
            let why = format!("{at} is reached from other machines, which need a token");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        Access::Local => config.with_allowed_origins(own_origins(at.port())),
        // Who has the token is known, whatever the name of this machine is where they are.
        Access::Token(_) => config.disable_allowed_hosts(),
    };
    let requests = config.cancellation_token.clone();
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(SILENT);
    let sessions = Arc::new(sessions);
    let service = StreamableHttpService::new(move || Ok(handler()), Arc::clone(&sessions), config);
    let service = Arc::new(Served { service, sessions });
    let access = Arc::new(access);
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if connections.len() < CONNECTIONS => {
                let Ok((stream, _)) = accepted else {
                    // Such as too many open files: what is open may end.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                connections.spawn(connection(stream, Arc::clone(&service), Arc::clone(&access)));
            }
        }
    }
    requests.cancel();
    connections.shutdown().await;
    Ok(())
}

/// The origins of this server itself.
fn own_origins(port: u16) -> [String; 3] {
    ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{port}"))
}

async fn connection(stream: TcpStream, service: Arc<Served>, access: Arc<Access>) {
    let answer = service_fn(move |request| {
        let (service, access) = (Arc::clone(&service), Arc::clone(&access));
        async move { Ok::<_, std::convert::Infallible>(answer(request, &service, &access).await) }
    });
    let mut http = http1::Builder::new();
    let http = http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    // A client that goes away ends it, and with it what was asked.
    let served = http.serve_connection(TokioIo::new(stream), answer).await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection of an MCP client ended");
    }
}

async fn answer(request: Request<Incoming>, served: &Served, access: &Access) -> Response<Body> {
    if !access.admits(request.headers().get(AUTHORIZATION)) {
        let mut refused = said(StatusCode::UNAUTHORIZED, "this server asks for a bearer token\n");
        refused.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return refused;
    }
    if request.uri().path() != PATH {
        return said(StatusCode::NOT_FOUND, "the protocol is spoken at /mcp\n");
    }
    let in_session = request.headers().contains_key("mcp-session-id");
    if !in_session && served.sessions.sessions.read().await.len() >= SESSIONS {
        return said(StatusCode::SERVICE_UNAVAILABLE, "there are too many sessions\n");
    }
    let (head, body) = request.into_parts();
    match timeout(BODY, Limited::new(body, BYTES).collect()).await {
        Ok(Ok(body)) => {
            let request = Request::from_parts(head, Full::new(body.to_bytes()));
            served.service.handle(request).await
        }
        Ok(Err(_)) => said(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long, or broke off\n"),
        Err(_) => said(StatusCode::REQUEST_TIMEOUT, "the body takes too long\n"),
    }
}

impl Access {
    fn admits(&self, authorization: Option<&HeaderValue>) -> bool {
        let Self::Token(token) = self else { return true };
        let given = authorization.and_then(|value| value.as_bytes().split_at_checked(SCHEME.len()));
        given.is_some_and(|(scheme, given)| {
            scheme.eq_ignore_ascii_case(SCHEME) && is_same(given, token.as_bytes())
        })
    }
}

/// Whether two secrets are the same; how long it takes says nothing of where they differ.
fn is_same(given: &[u8], secret: &[u8]) -> bool {
    let pairs = given.iter().zip(secret);
    let differ = pairs.fold(0, |differ, (one, other)| differ | (one ^ other));
    given.len() == secret.len() && differ == 0
}

fn said(status: StatusCode, what: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::from(what).boxed());
    *response.status_mut() = status;
    response
}
