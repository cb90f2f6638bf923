//! Requests about authorization.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest};
use tokio::net::lookup_host;
use tokio::time::timeout;
use tower_service::Service;
use url::Url;

use super::reach::Place;
use crate::http::{connector, reason};

/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(30);
/// Bytes of a body at most.
const BODY: usize = 1 << 20;

/// Asks authorization servers, and the server for what it says about them.
///
/// It follows no redirect; discovery follows those within one origin by itself.
#[derive(Clone)]
pub(super) struct Http {
    server: Url,
    place: Place,
    own: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    others: Client<HttpsConnector<HttpConnector<Reachable>>, Full<Bytes>>,
}

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failed {
    #[error("`{0}` cannot be reached: {1}")]
    Unreachable(String, String),
    #[error("`{0}` did not answer within {n} s", n = ANSWER.as_secs())]
    Late(String),
    #[error("the answer of `{0}` is longer than {BODY} bytes, or broke off")]
    Body(String),
    #[error("`{0}` is at an address that the server must not send us to")]
    Address(String),
}

impl Http {
    /// What asks for a server that is at this place.
    ///
    /// # Errors
    /// When the certificates of the system cannot be read.
    pub(super) fn new(server: &Url, place: Place) -> io::Result<Self> {
        let own = connector(HttpConnector::new())?;
        let others = connector(HttpConnector::new_with_resolver(Reachable(place)))?;
        let mut builder = Client::builder(hyper_util::rt::TokioExecutor::new());
        builder.pool_max_idle_per_host(0);
        let (own, others) = (builder.build(own), builder.build(others));
        Ok(Self { server: server.clone(), place, own, others })
    }

    /// Asks, and reads the answer.
    ///
    /// # Errors
    /// When there is no whole answer, or the address must not be asked.
    pub(super) async fn ask(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, Failed> {
        let (url, host) = (Url::parse(&request.uri().to_string()), host(&request));
        let is_own = url.is_ok_and(|url| url.origin() == self.server.origin());
        let literal: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        if !is_own && literal.is_some_and(|address| !self.place.reaches(address)) {
            return Err(Failed::Address(host));
        }
        let request = request.map(|body| Full::new(Bytes::from(body)));
        let answer = async {
            let response = match is_own {
                true => self.own.request(request).await,
                false => self.others.request(request).await,
            };
            let unreachable = |error| Failed::Unreachable(host.clone(), reason(&error));
            whole(response.map_err(unreachable)?, &host).await
        };
        timeout(ANSWER, answer).await.map_err(|_| Failed::Late(host.clone()))?
    }
}

fn host<B>(request: &Request<B>) -> String {
    request.uri().host().unwrap_or_default().to_owned()
}

async fn whole(response: Response<Incoming>, host: &str) -> Result<Response<Vec<u8>>, Failed> {
    let (parts, body) = response.into_parts();
    let kind = parts.headers.get(CONTENT_TYPE).map_or(&b""[..], |kind| kind.as_bytes());
    if kind.starts_with(b"text/event-stream") {
        // A stream of messages, which does not end.
        return Ok(Response::from_parts(parts, Vec::new()));
    }
    let body = Limited::new(body, BODY).collect().await;
    let body = body.map_err(|_| Failed::Body(host.to_owned()))?;
    Ok(Response::from_parts(parts, body.to_bytes().to_vec()))
}

impl OAuthHttpClient for Http {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move { Ok(self.ask(request.request).await?) })
    }
}

/// Resolves names to the addresses that a server at this place may send us to.
#[derive(Clone)]
struct Reachable(Place);

type Addresses = std::vec::IntoIter<SocketAddr>;

impl Service<Name> for Reachable {
    type Response = Addresses;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Addresses>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let place = self.0;
        Box::pin(async move {
            let found = lookup_host((name.as_str(), 0)).await?;
            reachable(place, found)
        })
    }
}

/// The addresses that a server at this place may send us to.
fn reachable(place: Place, found: impl Iterator<Item = SocketAddr>) -> io::Result<Addresses> {
    let reachable: Vec<_> = found.filter(|address| place.reaches(address.ip())).collect();
    match reachable.is_empty() {
        true => Err(io::Error::other("it is at an address that the server must not send us to")),
        false => Ok(reachable.into_iter()),
    }
}

#[cfg(test)]
mod tests;
