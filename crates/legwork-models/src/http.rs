//! One HTTP client for every wire: built late, cheap for plain `http`.

mod clock;
mod connect;
mod watch;

use std::error::Error;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::sync::OnceCell;

use connect::{TooSlow, Within};

pub(crate) use clock::System;
pub(crate) use watch::Watch;

/// How long the parts of an exchange may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the connection stands.
    pub connect: Duration,
    /// From sending the request to the first byte of the answer's body.
    pub first_byte: Duration,
    /// Between two pieces of the answer's body.
    pub idle: Duration,
}

impl Default for Timeouts {
    /// 10 s to connect, 300 s to the first byte, 120 s between pieces.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(120),
        }
    }
}

/// A client that is made when the first request needs it.
///
/// It takes hyper's client as it is: what goes over the wire again and again shall pass
/// no more layers than it must. Proxies come from no environment, no redirect is followed,
/// for it would carry the key away, and whether to try again is the wire's to say, who
/// counts what it may cost.
///
/// For `http` no certificate is loaded; for `https` those of the system are, once, on a
/// thread that may wait for them.
#[derive(Debug)]
pub(crate) struct Client {
    made: OnceCell<Sender>,
    security: Security,
    connect: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Security {
    Plain,
    Tls,
}

type Sending<C> = legacy::Client<Within<C>, Full<Bytes>>;

/// What sends; in two forms, for requests without encryption have a shorter way.
#[derive(Debug)]
enum Sender {
    Plain(Sending<HttpConnector>),
    Tls(Sending<HttpsConnector<HttpConnector>>),
}

impl Client {
    pub(crate) fn new(server: &Uri, timeouts: Timeouts) -> Self {
        let security = match server.scheme_str() {
            Some("http") => Security::Plain,
            _ => Security::Tls,
        };
        Self { made: OnceCell::new(), connect: timeouts.connect, security }
    }

    /// Sends a request; what comes back is the answer's head, with the way to its body.
    ///
    /// # Errors
    /// When no client could be made, which is not remembered, or no answer came.
    pub(crate) async fn send(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, Broken> {
        let sender = match self.made.get() {
            Some(sender) => sender,
            // In a box, for it happens once and would make each request's future large.
            None => Box::pin(self.made.get_or_try_init(|| self.make()))
                .await
                .map_err(Broken::NotMade)?,
        };
        let answer = match sender {
            Sender::Plain(client) => client.request(request),
            Sender::Tls(client) => client.request(request),
        };
        answer.await.map_err(Broken::NotAnswered)
    }

    async fn make(&self) -> io::Result<Sender> {
        let mut builder = legacy::Client::builder(TokioExecutor::new());
        builder.pool_timer(TokioTimer::new());
        let limit = self.connect;
        Ok(match self.security {
            Security::Plain => {
                Sender::Plain(builder.build(Within { connector: connect::plain(limit), limit }))
            }
            Security::Tls => {
                let connector = tokio::task::spawn_blocking(move || connect::tls(limit)).await??;
                Sender::Tls(builder.build(Within { connector, limit }))
            }
        })
    }
}

/// Why an exchange came to no end.
#[derive(Debug)]
pub(crate) enum Broken {
    /// There is no client.
    NotMade(io::Error),
    /// There was no answer.
    NotAnswered(legacy::Error),
    /// The answer broke off.
    Lost(hyper::Error),
}

impl Broken {
    /// Whether no connection stood, so that nothing can have been asked.
    pub(crate) fn is_connect(&self) -> bool {
        matches!(self, Self::NotAnswered(error) if error.is_connect())
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

    /// What happened, with its causes.
    pub(crate) fn in_words(&self) -> String {
        let mut text = match self {
            Self::NotMade(error) => error.to_string(),
            _ if self.is_connect() => "could not connect".to_owned(),
            _ => "the connection was lost".to_owned(),
        };
        for cause in causes(self.error()).skip(1) {
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
            Self::NotAnswered(error) => error,
            Self::Lost(error) => error,
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
