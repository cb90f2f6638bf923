//! One HTTP client for every wire: built late, cheap for plain `http`.

mod clock;
mod watch;

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::Url;

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
/// For `http` no certificate is loaded; for `https` those of the system are,
/// which takes some milliseconds once.
#[derive(Debug)]
pub(crate) struct Client {
    made: OnceLock<reqwest::Client>,
    connect: Duration,
    security: Security,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Security {
    Plain,
    Tls,
}

impl Client {
    pub(crate) fn new(url: &Url, timeouts: Timeouts) -> Self {
        let security = match url.scheme() {
            "http" => Security::Plain,
            _ => Security::Tls,
        };
        Self { made: OnceLock::new(), connect: timeouts.connect, security }
    }

    /// The client; a failure to make it is not remembered.
    pub(crate) fn get(&self) -> Result<&reqwest::Client, reqwest::Error> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let made = self.make()?;
        Ok(self.made.get_or_init(|| made))
    }

    /// Proxies come from no environment, and a redirect would carry the key away.
    /// Whether to try again is the wire's to say, who counts what it may cost.
    fn make(&self) -> Result<reqwest::Client, reqwest::Error> {
        let builder = reqwest::Client::builder()
            .tcp_nodelay(true)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never().max_retries_per_request(0))
            .connect_timeout(self.connect);
        let provider = rustls::crypto::ring::default_provider();
        match self.security {
            Security::Tls => {
                // A provider that the program installed before is as good.
                let _ = provider.install_default();
                builder.build()
            }
            Security::Plain => {
                let config = rustls::ClientConfig::builder_with_provider(provider.into())
                    .with_safe_default_protocol_versions();
                let Ok(config) = config else { return builder.build() };
                let trusts_nobody = config
                    .with_root_certificates(rustls::RootCertStore::empty())
                    .with_no_client_auth();
                builder.tls_backend_preconfigured(trusts_nobody).build()
            }
        }
    }
}
