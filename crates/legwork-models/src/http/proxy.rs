//! Proxies: which requests go through one, and how.

mod proxies;
mod socks;
mod tunnel;
mod variable;

use std::fmt;
use std::sync::Arc;

use http::{HeaderValue, Uri};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;

use super::connect::{BoxError, Hop, call};

pub use proxies::Proxies;
pub use variable::InvalidProxy;

/// A proxy that requests go through; what is shown of it holds no secret.
#[derive(Clone)]
pub(crate) struct Proxy {
    kind: Kind,
    address: Uri,
    /// The variable that names it.
    variable: Arc<str>,
    /// For a proxy that speaks HTTP.
    authorization: Option<HeaderValue>,
    /// For one that speaks SOCKS.
    credentials: Option<(String, String)>,
    secrets: Arc<[String]>,
}

/// What a proxy speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Http,
    Https,
    /// With names resolved here.
    Socks5,
    /// With names resolved by the proxy.
    Socks5h,
}

/// What went wrong at a proxy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// No connection to it could be opened.
    #[error("the proxy {proxy} cannot be reached")]
    Unreachable { proxy: Proxy, source: BoxError },
    /// It answered, and made no tunnel.
    #[error("the proxy {proxy} answered {status}")]
    Refused { proxy: Proxy, status: http::StatusCode },
    /// It gave no answer that can be understood.
    #[error("the proxy {proxy} opened no tunnel")]
    NoTunnel { proxy: Proxy, source: BoxError },
}

impl Error {
    /// What to do about it.
    pub(crate) fn todo(&self) -> String {
        match self {
            Self::Refused { proxy, status } if status.as_u16() == 407 => proxy.wants_credentials(),
            Self::Unreachable { proxy, .. }
            | Self::NoTunnel { proxy, .. }
            | Self::Refused { proxy, .. } => {
                let variable = &proxy.variable;
                format!("check {variable}, or list the server's host in NO_PROXY to go without")
            }
        }
    }

    /// Whether trying again changes nothing.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Refused { status, .. } => {
                status.is_client_error() && !matches!(status.as_u16(), 408 | 429)
            }
            Self::Unreachable { .. } | Self::NoTunnel { .. } => false,
        }
    }

    /// What it answered.
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(status.as_u16()),
            Self::Unreachable { .. } | Self::NoTunnel { .. } => None,
        }
    }
}

impl Proxy {
    /// The secrets of its address, to be masked.
    pub(crate) fn secrets(&self) -> &[String] {
        &self.secrets
    }

    /// What to do when it asks for a name and a password.
    pub(crate) fn wants_credentials(&self) -> String {
        let Self { variable, .. } = self;
        match self.authorization {
            Some(_) => format!("check the name and the password in {variable}"),
            None => format!(
                "put a name and a password into {variable}, as http://NAME:PASSWORD@HOST:PORT"
            ),
        }
    }

    /// Whether the connection to it is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.kind == Kind::Https
    }

    /// Whether it takes requests to a server with the whole address and passes them on.
    pub(crate) fn forwards(&self, server: &Uri) -> bool {
        matches!(self.kind, Kind::Http | Kind::Https) && server.scheme_str() == Some("http")
    }

    /// What is sent as `Proxy-Authorization`.
    pub(crate) fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }

    /// A connection to a server, or to the proxy if it passes requests on.
    pub(super) async fn connect(
        &self,
        mut tcp: HttpConnector,
        tls: Option<HttpsConnector<HttpConnector>>,
        server: &Uri,
    ) -> Result<Hop, Error> {
        tcp.enforce_http(false);
        if matches!(self.kind, Kind::Socks5 | Kind::Socks5h) {
            return socks::open(self, tcp, server).await.map(Hop::Http);
        }
        let hop = match tls {
            Some(tls) => call(tls, &self.address).await,
            None => call(tcp, &self.address).await.map(Hop::Http).map_err(BoxError::from),
        };
        let hop = hop.map_err(|source| self.unreachable(source))?;
        match self.forwards(server) {
            true => Ok(hop),
            false => tunnel::open(self, hop, server).await,
        }
    }

    fn unreachable(&self, source: BoxError) -> Error {
        Error::Unreachable { proxy: self.clone(), source }
    }

    fn no_tunnel(&self, source: impl Into<BoxError>) -> Error {
        Error::NoTunnel { proxy: self.clone(), source: source.into() }
    }
}

/// The host of a server without brackets, and its port.
fn host_and_port(server: &Uri) -> (&str, u16) {
    let usual = if server.scheme_str() == Some("http") { 80 } else { 443 };
    let host = server.host().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (host, server.port_u16().unwrap_or(usual))
}

/// Its address and the variable that names it.
impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.kind.scheme();
        let authority = self.address.authority().map_or("", |authority| authority.as_str());
        write!(f, "{scheme}://{authority} ({})", self.variable)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
