//! The way to a server: resolve, connect, shake hands, all within one time limit.

use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector};
use hyper_util::client::legacy::connect::HttpConnector;
use tower_service::Service;

/// How long a silent connection is left alone before it is asked whether it still stands,
/// and how long each time it does not answer.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How often a connection may fail to answer.
const KEEP_ALIVE_PROBES: u32 = 3;

/// How long what was sent may go without an acknowledgement.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);

type BoxError = Box<dyn Error + Send + Sync>;

/// Connects without encryption, to the addresses of the server one after another, all of
/// them within the limit.
pub(super) fn plain(limit: Duration) -> HttpConnector {
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
pub(super) fn tls(limit: Duration) -> io::Result<HttpsConnector<HttpConnector>> {
    let mut plain = plain(limit);
    plain.enforce_http(false);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.try_with_platform_verifier())
        .map_err(io::Error::other)?
        .with_no_client_auth();
    // Some front ends choose by it, or want one.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(HttpsConnector::from((plain, config)))
}

/// A connector that gives up after a while.
#[derive(Debug, Clone)]
pub(super) struct Within<C> {
    pub(super) connector: C,
    pub(super) limit: Duration,
}

/// No connection stood in time.
#[derive(Debug, thiserror::Error)]
#[error("no connection within {0:?}")]
pub(super) struct TooSlow(Duration);

impl<C> Service<Uri> for Within<C>
where
    C: Service<Uri, Error: Into<BoxError>, Future: Send + 'static>,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.connector.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        let (connecting, limit) = (self.connector.call(server), self.limit);
        Box::pin(async move {
            match tokio::time::timeout(limit, connecting).await {
                Ok(connected) => connected.map_err(Into::into),
                Err(_) => Err(TooSlow(limit).into()),
            }
        })
    }
}
