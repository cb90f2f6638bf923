//! The way to a server: resolve, connect, shake hands, all within one time limit.

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use legwork_port::Clock;
use rustls::{ClientConfig, ConfigBuilder, WantsVerifier};
use tokio::net::TcpStream;
use tower_service::Service;

use super::proxy::Proxy;
use super::shared::OFFERED;
use super::watch::{Limits, Watch};

/// How long a silent connection is left alone before it is asked whether it is still open,
/// and how long each time it does not answer.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How often a connection may fail to answer.
const KEEP_ALIVE_PROBES: u32 = 3;

/// How long what was sent may go without an acknowledgement.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// What goes over a connection, encrypted or not.
pub(super) type Stream = MaybeHttpsStream<Hop>;

/// The same without the server's encryption; that of a proxy may be left.
pub(super) type Hop = MaybeHttpsStream<TokioIo<TcpStream>>;

/// Opens connections.
#[derive(Debug, Clone)]
pub(super) enum Connector {
    Plain(Way),
    Tls(HttpsConnector<Way>),
}

/// The way to a server before anything is said to it.
#[derive(Debug, Clone)]
pub(super) struct Way {
    tcp: HttpConnector,
    /// Connects to a proxy that is encrypted; none if there is none.
    tls: Option<HttpsConnector<HttpConnector>>,
    proxy: Option<Proxy>,
}

/// Connects without encryption, to the addresses of the server one after another, all of
/// them within the limit.
pub(super) fn plain(limit: Duration, proxy: Option<Proxy>) -> Connector {
    Connector::Plain(Way { tcp: tcp(limit), tls: None, proxy })
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
pub(super) fn tls(limit: Duration, proxy: Option<Proxy>) -> io::Result<Connector> {
    let config = config().and_then(|builder| builder.try_with_platform_verifier());
    Ok(over(limit, proxy, config.map_err(io::Error::other)?.with_no_client_auth()))
}

/// The same that trusts these certificates.
#[cfg(test)]
#[cfg(all(feature = "http2", feature = "proxy"))]
pub(super) fn trusting(
    limit: Duration,
    proxy: Option<Proxy>,
    roots: rustls::RootCertStore,
) -> Connector {
    over(limit, proxy, config().unwrap().with_root_certificates(roots).with_no_client_auth())
}

fn config() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()
}

fn over(limit: Duration, proxy: Option<Proxy>, mut config: ClientConfig) -> Connector {
    let mut tcp = tcp(limit);
    tcp.enforce_http(false);
    let tls = proxy.as_ref().filter(|proxy| proxy.is_encrypted());
    let tls = tls.map(|_| HttpsConnector::from((tcp.clone(), config.clone())));
    let protocols = OFFERED.iter().map(|protocol| protocol.to_vec());
    config.alpn_protocols = protocols.collect();
    Connector::Tls(HttpsConnector::from((Way { tcp, tls, proxy }, config)))
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
    pub(super) async fn connect(
        &self,
        clock: &dyn Clock,
        server: &Uri,
        limit: Duration,
    ) -> Result<Stream, BoxError> {
        let connecting = async {
            match self.clone() {
                Self::Plain(way) => Ok(Stream::Http(call(way, server).await?)),
                Self::Tls(way) => call(way, server).await,
            }
        };
        match Watch::new(clock, Limits::of_wait(limit)).next(pin!(connecting)).await {
            Ok(connected) => connected,
            Err(_) => Err(TooSlow(limit).into()),
        }
    }
}

impl Service<Uri> for Way {
    type Response = Hop;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Hop, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        // Each call waits for what it uses.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        let Self { tcp, tls, proxy } = self.clone();
        Box::pin(async move {
            match proxy {
                None => Ok(Hop::Http(call(tcp, &server).await?)),
                Some(proxy) => Ok(proxy.connect(tcp, tls, &server).await?),
            }
        })
    }
}

/// Calls a service once it is ready.
pub(super) async fn call<S: Service<Uri>>(
    mut service: S,
    server: &Uri,
) -> Result<S::Response, S::Error> {
    poll_fn(|cx| service.poll_ready(cx)).await?;
    service.call(server.clone()).await
}
