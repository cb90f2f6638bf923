//! One HTTP client for every wire: built late, cheap for plain `http`.

mod body;
mod clock;
mod connect;
mod connection;
mod idle;
mod metered;
mod relay;
mod request;
mod watch;

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::{Response, Uri};
use tokio::sync::OnceCell;

use connect::{BoxError, Connector, TooSlow};
use connection::{Connection, Outgoing};
use idle::Idle;

pub(crate) use body::Body;
pub(crate) use clock::System;
pub(crate) use request::template;
pub(crate) use watch::{Late, Limits, Watch};

/// How long the parts of an exchange may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
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
/// request more. Proxies come from no environment, no redirect is followed, for it would carry the
/// key away, and whether to try again is the wire's to say, who counts what it may cost.
///
/// For `http` no certificate is loaded; for `https` those of the system are, once, on a
/// thread that may wait for them.
#[derive(Debug)]
pub(crate) struct Client {
    server: Uri,
    connector: OnceCell<Connector>,
    idle: Arc<Idle>,
    /// How long it may take to connect.
    limit: Duration,
}

impl Client {
    pub(crate) fn new(server: &Uri, timeouts: Timeouts) -> Self {
        Self {
            server: server.clone(),
            connector: OnceCell::new(),
            idle: Arc::default(),
            limit: timeouts.connect,
        }
    }

    /// Sends a request; what comes back is the answer's head, with the way to its body.
    ///
    /// A request that an idle connection did not take, for the server had closed it, goes
    /// over the next one.
    ///
    /// # Errors
    /// When no client could be made, which is not remembered, or no answer came.
    pub(crate) async fn send(&self, request: Outgoing) -> Result<Response<Body>, Broken> {
        let mut request = request;
        while let Some(connection) = self.idle.take() {
            request = match self.send_over(connection, request).await {
                Ok(answer) => return Ok(answer),
                Err(Lost { unsent: Some(request), .. }) => request,
                Err(lost) => return Err(Broken::NotAnswered(lost.error)),
            };
        }
        // In a box, for it happens rarely and would make each request's future large.
        let connection = Box::pin(self.connect()).await?;
        let answer = self.send_over(connection, request).await;
        answer.map_err(|lost| Broken::NotAnswered(lost.error))
    }

    async fn send_over(
        &self,
        mut connection: Box<Connection>,
        request: Outgoing,
    ) -> Result<Response<Body>, Lost> {
        match connection.send(request).await {
            Ok(answer) => Ok(answer.map(|body| Body::new(body, connection, &self.idle))),
            Err(mut lost) => Err(Lost { unsent: lost.take_message(), error: lost.into_error() }),
        }
    }

    async fn connect(&self) -> Result<Box<Connection>, Broken> {
        let connector = self.connector.get_or_try_init(|| self.connector());
        let connector = connector.await.map_err(Broken::NotMade)?;
        let stream = connector.connect(&self.server, self.limit).await;
        let connection = Connection::over(stream.map_err(Broken::NotConnected)?).await;
        Ok(Box::new(connection.map_err(Broken::NotAnswered)?))
    }

    async fn connector(&self) -> io::Result<Connector> {
        let limit = self.limit;
        match self.server.scheme_str() {
            Some("http") => Ok(connect::plain(limit)),
            _ => tokio::task::spawn_blocking(move || connect::tls(limit)).await?,
        }
    }
}

/// A request that got no answer.
struct Lost {
    /// The request, if nothing of it was sent.
    unsent: Option<Outgoing>,
    error: hyper::Error,
}

/// Why an exchange came to no end.
#[derive(Debug)]
pub(crate) enum Broken {
    /// There is no client.
    NotMade(io::Error),
    /// There is no connection.
    NotConnected(BoxError),
    /// There was no answer.
    NotAnswered(hyper::Error),
    /// The answer broke off.
    Lost(hyper::Error),
}

impl Broken {
    /// Whether no connection stood, so that nothing can have been asked.
    pub(crate) fn is_connect(&self) -> bool {
        matches!(self, Self::NotConnected(_))
    }

    /// Whether no connection stood in time.
    pub(crate) fn is_timeout(&self) -> bool {
        let timed_out = |error: &io::Error| error.kind() == io::ErrorKind::TimedOut;
        causes(self.error())
            .any(|cause| cause.is::<TooSlow>() || cause.downcast_ref().is_some_and(timed_out))
    }

    /// Whether the server is not whom the system trusts, or speaks no TLS that we do; trying
    /// again changes nothing.
    pub(crate) fn is_untrusted(&self) -> bool {
        causes(self.error()).any(is_refused_by_tls)
    }

    /// Whether the head of the answer is not HTTP, or is too long.
    pub(crate) fn is_malformed(&self) -> bool {
        matches!(self, Self::NotAnswered(error) if error.is_parse())
    }

    /// What happened, with its causes.
    pub(crate) fn in_words(&self) -> String {
        let (mut text, first) = match self {
            Self::NotMade(error) => (error.to_string(), 1),
            Self::NotConnected(_) => ("could not connect".to_owned(), 0),
            Self::NotAnswered(_) => ("the connection was lost".to_owned(), 0),
            // Its own words are about the body, which says nothing more.
            Self::Lost(_) => ("the connection was lost".to_owned(), 1),
        };
        for cause in causes(self.error()).skip(first) {
            let said = cause.to_string();
            if !text.ends_with(&said) {
                text.push_str(": ");
                text.push_str(&said);
            }
        }
        text
    }

    fn error(&self) -> &(dyn Error + 'static) {
        match self {
            Self::NotMade(error) => error,
            Self::NotConnected(error) => &**error,
            Self::NotAnswered(error) | Self::Lost(error) => error,
        }
    }
}

/// An error and what caused it.
fn causes<'e>(first: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(first), |error: &&'e (dyn Error + 'static)| (*error).source())
}

/// Whether TLS refused the server; such an error is wrapped in those of reading.
fn is_refused_by_tls(error: &(dyn Error + 'static)) -> bool {
    use rustls::Error::{InvalidCertificate, InvalidMessage, PeerIncompatible};
    let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    match wrapped {
        Some(inner) => is_refused_by_tls(inner),
        None => matches!(
            error.downcast_ref(),
            Some(InvalidCertificate(_) | InvalidMessage(_) | PeerIncompatible(_))
        ),
    }
}
