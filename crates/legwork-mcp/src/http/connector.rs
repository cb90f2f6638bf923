//! Connections, with TLS where a URL says so.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper_rustls::{ConfigBuilderExt as _, HttpsConnector};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::ClientConfig;

/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(10);
/// How long a silent connection is left alone before it is asked whether it is still open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Connects over this, with TLS that trusts whom the system trusts.
///
/// # Errors
/// When the system's certificates cannot be read.
pub(crate) fn connector<R>(
    mut tcp: HttpConnector<R>,
) -> io::Result<HttpsConnector<HttpConnector<R>>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.try_with_platform_verifier())
        .map_err(io::Error::other)?;
    tcp.enforce_http(false);
    tcp.set_connect_timeout(Some(CONNECTING));
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(KEEP_ALIVE));
    Ok(HttpsConnector::from((tcp, config.with_no_client_auth())))
}
