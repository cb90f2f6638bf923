//! Gets pages: connects to checked addresses, follows redirects, keeps to limits.

mod body;
mod connect;
mod error;
mod exchange;
mod resolve;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::{HeaderMap, LOCATION};
use hyper::{StatusCode, Uri};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;

pub use self::error::Error;
pub(crate) use self::exchange::Ask;
pub use self::resolve::{Resolver, SystemResolver};

use crate::address::Address;
use crate::policy::Policy;

/// What an exchange may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The time for all of it, redirects included. By default 30 seconds.
    pub time: Duration,
    /// The bytes that are read, and those that they may decompress to. By default 5 MiB.
    pub bytes: usize,
    /// The redirects that are followed. By default 5.
    pub redirects: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(30), bytes: 5 << 20, redirects: 5 }
    }
}

/// An answer that was read, at most as far as the limits allow.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Whether the limit ended the body.
    pub(crate) is_cut: bool,
    /// The address that answered, after redirects.
    pub(crate) address: Address,
}

/// Gets pages within a [`Policy`].
///
/// A name is resolved once, all its addresses are checked, and the connection is made to one of
/// those that were: what a name resolves to later has no effect. The same holds after each redirect.
#[derive(Clone)]
pub struct Client {
    reach: Reach,
    resolver: Arc<dyn Resolver>,
    tls: Arc<ClientConfig>,
    limits: Limits,
}

/// What a client may reach.
#[derive(Debug, Clone)]
enum Reach {
    /// What a policy says.
    Policy(Policy),
    /// Whatever it is given: a server that the user named.
    Any,
}

impl Client {
    /// A client that trusts the certificates that the system trusts.
    ///
    /// # Errors
    /// When those cannot be read.
    pub fn new(policy: Policy) -> Result<Self, Error> {
        Self::reaching(Reach::Policy(policy))
    }

    /// The same for a server that the user named, wherever it is. It follows no redirect.
    pub(crate) fn of_user() -> Result<Self, Error> {
        let client = Self::reaching(Reach::Any)?;
        let limits = Limits { redirects: 0, ..client.limits };
        Ok(client.with_limits(limits))
    }

    fn reaching(reach: Reach) -> Result<Self, Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_platform_verifier())
            .map_err(|error| Error::Certificates(error.to_string()))?;
        let tls = Arc::new(config.with_no_client_auth());
        let resolver: Arc<dyn Resolver> = Arc::new(SystemResolver);
        Ok(Self { reach, resolver, tls, limits: Limits::default() })
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same that asks this resolver for the addresses of names.
    #[must_use]
    pub fn with_resolver(self, resolver: impl Resolver + 'static) -> Self {
        Self { resolver: Arc::new(resolver), ..self }
    }

    /// The same that trusts other certificates.
    #[cfg(test)]
    pub(crate) fn with_tls(self, tls: ClientConfig) -> Self {
        Self { tls: Arc::new(tls), ..self }
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Asks, follows redirects, and reads the answer.
    ///
    /// # Errors
    /// When something on the way may not be reached or cannot be, or a limit is exceeded; an
    /// answer with an error status is an answer.
    pub(crate) async fn get(&self, address: Address, ask: &Ask) -> Result<Answer, Error> {
        let limit = self.limits.time;
        let got = tokio::time::timeout(limit, self.follow(address, ask)).await;
        got.unwrap_or(Err(Error::TimedOut(limit)))
    }

    async fn follow(&self, mut address: Address, ask: &Ask) -> Result<Answer, Error> {
        for _ in 0..=self.limits.redirects {
            let answer = self.exchange(&address, ask).await?;
            match redirect(&answer) {
                Some(to) => address = address.join(&to)?,
                None => return Ok(answer),
            }
        }
        Err(Error::Redirects(self.limits.redirects))
    }
}

/// Where an answer sends to, if it is a redirect.
fn redirect(answer: &Answer) -> Option<String> {
    let is_redirect = matches!(answer.status.as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = answer.headers.get(LOCATION).filter(|_| is_redirect)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("reach", &self.reach)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// What a server is asked for, as hyper writes it.
fn requested(address: &Address) -> Result<Uri, Error> {
    let path = address.path_and_query();
    Uri::try_from(path).map_err(|_| Error::Path(address.to_string()))
}

#[cfg(test)]
mod tests;
