//! A browser on this machine, which is sent back to a port of this process.

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use legwork_port::BoxFuture;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::Browser;
use super::callback::state;
use crate::connect::Error;

/// How long a person has.
const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// How long the browser may take to send a request.
const REQUEST: Duration = Duration::from_secs(10);
const PATH: &str = "/callback";

const DONE: &str = "You can close this page and return to the program.";
const UNKNOWN: &str = "This is not the page of a login that is under way.";

/// A browser on this machine, which is sent back to a port of this process.
///
/// What opens the page is up to a function: it prints the URL, or starts a browser with it.
pub struct LoopbackBrowser {
    listener: TcpListener,
    port: u16,
    patience: Duration,
    show: Box<dyn Fn(&str) + Send + Sync>,
}

impl LoopbackBrowser {
    /// Listens on a port of the loopback interface; 0 is any that is free.
    ///
    /// The port stays taken until it is dropped.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn listen(
        port: u16,
        show: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let failed = |why: io::Error| {
            Error::Denied(format!("the port {port} of 127.0.0.1 cannot be listened on: {why}"))
        };
        let listener = TcpListener::bind(("127.0.0.1", port)).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Self { listener, port, patience: PATIENCE, show: Box::new(show) })
    }

    /// With another time limit for the person than five minutes.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The redirect with this state.
    async fn redirect(&self, state: Option<String>) -> io::Result<String> {
        let (found, mut redirects) = mpsc::channel(1);
        let state: Arc<str> = Arc::from(state.unwrap_or_default());
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                Some(target) = redirects.recv() => {
                    // The page is sent before the connections are dropped.
                    drain(&mut connections).await;
                    return Ok(format!("http://127.0.0.1:{}{target}", self.port));
                }
                Some(_) = connections.join_next() => {}
                accepted = self.listener.accept() => {
                    let (found, state) = (found.clone(), Arc::clone(&state));
                    let service = service_fn(move |request| answer(request, Arc::clone(&state), found.clone()));
                    let mut server = http1::Builder::new();
                    server.timer(TokioTimer::new()).header_read_timeout(REQUEST).keep_alive(false);
                    connections.spawn(server.serve_connection(TokioIo::new(accepted?.0), service));
                }
            }
        }
    }
}

async fn drain<T: Send + 'static>(connections: &mut JoinSet<T>) {
    let all = async { while connections.join_next().await.is_some() {} };
    // One that does not read its page is not waited for.
    let _ = timeout(Duration::from_secs(1), all).await;
}

/// Answers a request, and passes on where the person was sent back to.
async fn answer(
    request: Request<Incoming>,
    expected: Arc<str>,
    found: mpsc::Sender<String>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let target = request.uri().path_and_query().map_or("", |target| target.as_str()).to_owned();
    // Any page can make the browser ask here: only the login that is under way knows its state.
    let is_ours = request.uri().path() == PATH && state(&target).as_deref() == Some(&*expected);
    let (status, words) = match is_ours {
        true => (StatusCode::OK, DONE),
        false => (StatusCode::NOT_FOUND, UNKNOWN),
    };
    if is_ours {
        // A second one is not needed.
        let _ = found.try_send(target);
    }
    let mut page = Response::new(Full::new(Bytes::from_static(words.as_bytes())));
    *page.status_mut() = status;
    let headers = page.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("referrer-policy", HeaderValue::from_static("no-referrer"));
    Ok(page)
}

impl Browser for LoopbackBrowser {
    fn redirect_uri(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    fn visit<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<String, Error>> {
        Box::pin(async {
            (self.show)(url);
            let redirect = timeout(self.patience, self.redirect(state(url))).await;
            let redirect = redirect.map_err(|_| {
                let limit = self.patience.as_secs();
                Error::Unreachable(format!("it was not granted within {limit} s"))
            })?;
            redirect.map_err(|why| {
                Error::Unreachable(format!("the browser cannot be listened to: {why}"))
            })
        })
    }
}

impl fmt::Debug for LoopbackBrowser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoopbackBrowser").field("port", &self.port).finish_non_exhaustive()
    }
}
