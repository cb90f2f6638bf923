//! The way to a server: resolve, connect, shake hands, all within one time limit.

use std::error::Error;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use tower_service::Service;

/// How long a silent connection is left alone before it is asked whether it still stands.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

type BoxError = Box<dyn Error + Send + Sync>;

/// Connects without encryption.
pub(super) fn plain() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector.set_keepalive(Some(KEEP_ALIVE));
    connector
}

/// Connects with TLS, and trusts whom the system trusts.
///
/// # Errors
/// When the system's certificates cannot be read.
pub(super) fn tls() -> io::Result<HttpsConnector<HttpConnector>> {
    let mut plain = plain();
    plain.enforce_http(false);
    let provider = rustls::crypto::ring::default_provider();
    let builder = HttpsConnectorBuilder::new().with_provider_and_platform_verifier(provider)?;
    Ok(builder.https_only().enable_http1().wrap_connector(plain))
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
