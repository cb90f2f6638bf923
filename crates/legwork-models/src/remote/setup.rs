//! What is set up alike for a model and an embedder: where, as whom and how a server is asked.

use std::sync::Arc;

use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use http::{Method, Request, Uri};
use legwork_clock::SystemClock;
#[cfg(feature = "embeddings")]
use legwork_core::budget::Price;
use legwork_port::Clock;
use serde_json::{Map, Value};

use super::access::Access;
use super::address;
use super::builder::Error;
use super::idempotency::{Idempotency, Keys};
use super::presence::Presence;
use super::protocol::Protocol;
use super::secrets::{self, Secrets};
use super::traffic::{self, Tap};
use crate::bounds::Bounds;
use crate::catalogue::Catalogue;
use crate::credentials::Credentials;
#[cfg(feature = "proxy")]
use crate::http::Proxies;
use crate::http::{Client, Proxy, Timeouts, accepted, template};
use crate::retry::Policy;

/// The settings of a builder.
pub(super) struct Setup {
    pub(super) base_url: String,
    pub(super) model: String,
    pub(super) provider: String,
    pub(super) key: Option<String>,
    pub(super) token: Option<String>,
    pub(super) credentials: Option<Arc<dyn Credentials>>,
    /// Whether a request contains the credential itself, and not only a signature made with it.
    pub(super) is_credential_sent: bool,
    /// What is known of the secrets of the credentials.
    pub(super) secrets: Vec<String>,
    pub(super) region: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) extra: Map<String, Value>,
    pub(super) timeouts: Timeouts,
    pub(super) bounds: Bounds,
    pub(super) retry: Policy,
    /// The header of the keys that requests are given; none gives them none.
    pub(super) key_header: Option<String>,
    /// Where those keys come from, if not from chance.
    pub(super) request_keys: Option<Keys>,
    pub(super) clock: Option<Arc<dyn Clock>>,
    /// The observer of what is sent and received.
    pub(super) traffic: Option<traffic::Observer>,
    pub(super) catalogue: Catalogue,
    pub(super) is_free: bool,
    #[cfg(feature = "proxy")]
    pub(super) proxies: Proxies,
}

/// A server that is ready to be asked.
pub(super) struct Opened {
    pub(super) client: Client,
    pub(super) access: Option<Box<Access>>,
    /// The address as messages show it.
    pub(super) address: String,
    /// A request without its body.
    pub(super) request: Request<()>,
    pub(super) secrets: Secrets,
    pub(super) presence: Presence,
    /// The host to which the key is sent without encryption.
    pub(super) exposed: Option<String>,
}

impl Setup {
    pub(super) fn new(base_url: String, model: String, provider: &str) -> Self {
        Self {
            base_url,
            model,
            provider: provider.to_owned(),
            key: None,
            token: None,
            credentials: None,
            is_credential_sent: false,
            secrets: Vec::new(),
            region: None,
            headers: Vec::new(),
            extra: Map::new(),
            timeouts: Timeouts::default(),
            bounds: Bounds::default(),
            retry: Policy::default(),
            key_header: None,
            request_keys: None,
            clock: None,
            traffic: None,
            catalogue: Catalogue::none(),
            is_free: false,
            #[cfg(feature = "proxy")]
            proxies: Proxies::none(),
        }
    }

    /// The name of the model, as in `provider:model`.
    pub(super) fn name(&self) -> String {
        format!("{}:{}", self.provider, self.model)
    }

    /// The price of an embedding model, if nothing of one's own says otherwise.
    #[cfg(feature = "embeddings")]
    pub(super) fn price(&self, known: Option<Price>) -> Option<Price> {
        let own = self.catalogue.of(&self.name()).and_then(|row| row.profile().price_at(0));
        own.or(self.is_free.then_some(Price::FREE)).or(known)
    }

    /// How requests are given keys, if they are.
    pub(super) fn idempotency(&self) -> Result<Option<Idempotency>, Error> {
        let new = |header: &String| Idempotency::new(header, self.request_keys.as_ref());
        self.key_header.as_ref().map(new).transpose()
    }

    /// The observer of the traffic with the name of the model, if there is one.
    pub(super) fn tap(&self) -> Option<Tap> {
        Some(Tap::new(Arc::clone(self.traffic.as_ref()?), self.name()))
    }

    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone().unwrap_or_else(|| Arc::new(SystemClock::default()))
    }

    /// Refuses extra fields that are not for others to set.
    pub(super) fn check_fields(&self, protocol: Protocol) -> Result<(), Error> {
        let own = protocol.own_fields();
        match self.extra.keys().find(|key| own.contains(&key.as_str())) {
            Some(field) => Err(Error::OwnField { field: field.clone() }),
            None => Ok(()),
        }
    }

    /// The server at an address, with a request to it.
    pub(super) fn open(
        &self,
        protocol: Protocol,
        method: Method,
        uri: &Uri,
    ) -> Result<Opened, Error> {
        let (headers, proxy) = (self.all_headers(protocol)?, self.proxy_to(uri)?);
        let keys = secrets_of(&headers);
        let is_exposed = !keys.is_empty() || self.is_credential_sent;
        let keys = keys.and(&self.secrets);
        let secrets = keys.and(proxy.as_ref().map_or(&[], Proxy::secrets));
        let request = self.template(method, uri, headers, proxy.as_ref())?;
        Ok(Opened {
            presence: Presence::of(uri),
            client: Client::new(uri, self.timeouts, proxy),
            access: self.access_to(protocol, uri),
            address: uri.to_string(),
            request,
            secrets,
            exposed: is_exposed.then(|| address::in_clear(uri)).flatten(),
        })
    }

    fn access_to(&self, protocol: Protocol, server: &Uri) -> Option<Box<Access>> {
        let credentials = Arc::clone(self.credentials.as_ref()?);
        #[cfg(feature = "bedrock")]
        let named = || server.host().and_then(crate::bedrock::region_of).map(str::to_owned);
        #[cfg(not(feature = "bedrock"))]
        let named = || None;
        let region = self.region.clone().or_else(named);
        Some(Box::new(Access::new(protocol, credentials, region, server)))
    }

    #[cfg(feature = "proxy")]
    fn proxy_to(&self, server: &Uri) -> Result<Option<Proxy>, Error> {
        Ok(self.proxies.proxy_to(server)?)
    }

    #[cfg(not(feature = "proxy"))]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "as with proxies")]
    fn proxy_to(&self, _: &Uri) -> Result<Option<Proxy>, Error> {
        Ok(None)
    }

    fn template(
        &self,
        method: Method,
        uri: &Uri,
        headers: HeaderMap,
        proxy: Option<&Proxy>,
    ) -> Result<Request<()>, Error> {
        template(method, uri, headers, proxy).map_err(|error| Error::BaseUrl {
            url: address::without_user(&self.base_url),
            problem: error.to_string(),
        })
    }

    fn all_headers(&self, protocol: Protocol) -> Result<HeaderMap, Error> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // JSON or a stream of events, as the request asks.
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        if let Some(codings) = accepted() {
            headers.insert(ACCEPT_ENCODING, codings);
        }
        protocol.headers(&mut headers);
        if let Some(key) = &self.key {
            let (name, mut value) = protocol.key(key).map_err(|_| Error::Key)?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        if let Some(token) = &self.token {
            let value = HeaderValue::try_from(format!("Bearer {token}"));
            let mut value = value.map_err(|_| Error::Key)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        for (name, value) in &self.headers {
            let bad = || Error::Header { name: name.clone() };
            let key = HeaderName::try_from(name.as_str()).map_err(|_| bad())?;
            let mut value = HeaderValue::try_from(value.as_str()).map_err(|_| bad())?;
            value.set_sensitive(secrets::is_secret(&key));
            headers.insert(key, value);
        }
        Ok(headers)
    }
}

/// The secrets in the headers, whatever they are written with.
fn secrets_of(headers: &HeaderMap) -> Secrets {
    let mut secrets = Secrets::default();
    for value in headers.values().filter(|value| value.is_sensitive()) {
        let text = String::from_utf8_lossy(value.as_bytes());
        secrets.push_all_of(&text);
    }
    secrets
}
