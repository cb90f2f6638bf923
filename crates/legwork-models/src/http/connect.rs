//! The way to a server: resolve, connect, shake hands, all within one time limit.

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

/// How long a silent connection is left alone before it is asked whether it still stands,
/// and how long each time it does not answer.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How often a connection may fail to answer.
const KEEP_ALIVE_PROBES: u32 = 3;

/// How long what was sent may go without an acknowledgement.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// What goes over a connection, encrypted or not.
pub(super) type Stream = MaybeHttpsStream<TokioIo<TcpStream>>;

/// Opens connections.
#[derive(Debug, Clone)]
pub(super) enum Connector {
    Plain(HttpConnector),
    Tls(HttpsConnector<HttpConnector>),
}

/// Connects without encryption, to the addresses of the server one after another, all of
/// them within the limit.
pub(super) fn plain(limit: Duration) -> Connector {
    Connector::Plain(tcp(limit))
}

fn tcp(limit: Duration) -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(limit));
    connector.set_nodelay(true);
    connector.set_keepalive(Some(KEEP_ALIVE));
    connector.set_keepalive_interval(Some(KEEP_ALIVE));
    connector.set_keepalive_retries(Some(KEEP_ALIVE_PROBES));
    #[cfg(target_os = "linux")]
    connector.set_tcp_user_timeout(Some(UNACKNOWLEDGED));
    connector
}

/// Connects with TLS, and trusts whom the system trusts.
///
/// # Errors
/// When the system's certificates cannot be read.
pub(super) fn tls(limit: Duration) -> io::Result<Connector> {
    let mut plain = tcp(limit);
    plain.enforce_http(false);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.try_with_platform_verifier())
        .map_err(io::Error::other)?
        .with_no_client_auth();
    // Some front ends choose by it, or want one.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Connector::Tls(HttpsConnector::from((plain, config))))
}

/// No connection stood in time.
#[derive(Debug, thiserror::Error)]
#[error("no connection within {0:?}")]
pub(super) struct TooSlow(Duration);

impl Connector {
    /// A new connection to a server.
    ///
    /// # Errors
    /// When the server is not there, is not trusted, or takes longer than the limit.
    pub(super) async fn connect(&self, server: &Uri, limit: Duration) -> Result<Stream, BoxError> {
        let connecting = async {
            match self.clone() {
                Self::Plain(way) => Ok(Stream::Http(call(way, server).await?)),
                Self::Tls(way) => call(way, server).await,
            }
        };
        match tokio::time::timeout(limit, connecting).await {
            Ok(connected) => connected,
            Err(_) => Err(TooSlow(limit).into()),
        }
    }
}

async fn call<S: Service<Uri>>(mut service: S, server: &Uri) -> Result<S::Response, S::Error> {
    poll_fn(|cx| service.poll_ready(cx)).await?;
    service.call(server.clone()).await
}
