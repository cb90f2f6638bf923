//! How an [`HttpModel`] is set up.

use std::sync::Arc;

use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use http::{Method, Request, Uri};
use legwork_clock::SystemClock;
use legwork_port::{Clock, Profile};
use serde_json::{Map, Value};

use super::access::Access;
use super::count::Counter;
use super::secrets::{self, Secrets};
use super::{HttpModel, address};
use crate::Api;
use crate::answer::Streaming;
use crate::bounds::Bounds;
use crate::catalogue::Catalogue;
use crate::credentials::{Credential, Credentials};
#[cfg(feature = "proxy")]
use crate::http::Proxies;
use crate::http::{Client, Proxy, Timeouts, accepted, template};
use crate::retry::Policy;
use crate::wire::{MaxTokensField, Quirks};

/// Why a model could not be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The base URL cannot be used.
    #[error(
        "the base URL {url:?} cannot be used: {problem}; it should look like http://127.0.0.1:8080/v1"
    )]
    BaseUrl {
        /// What was given.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A header's name or value has characters that HTTP does not allow.
    #[error(
        "the header {name:?} cannot be sent: its name or value has characters that HTTP forbids"
    )]
    Header {
        /// The header's name; its value may be a secret.
        name: String,
    },
    /// The key has characters that HTTP does not allow.
    #[error("the API key has characters that HTTP forbids; is there a line break at its end?")]
    Key,
    /// An extra field that the wire sets itself.
    #[error("the extra field {field:?} is set by the wire itself and cannot be changed")]
    OwnField {
        /// The field.
        field: String,
    },
    /// A variable names a proxy that cannot be used. Needs the feature `proxy`.
    #[cfg(feature = "proxy")]
    #[error(transparent)]
    Proxy(#[from] crate::http::InvalidProxy),
}

/// A request that is not an inference.
pub(super) struct Question {
    pub(super) api: Api,
    pub(super) client: Client,
    pub(super) access: Option<Box<Access>>,
    /// The address as messages show it.
    pub(super) address: String,
    pub(super) request: Request<()>,
    pub(super) secrets: Secrets,
}

/// Sets up an [`HttpModel`]; what is not set has a sensible default.
#[must_use]
pub struct Builder {
    pub(super) api: Api,
    base_url: String,
    pub(super) model: String,
    pub(super) provider: String,
    key: Option<String>,
    token: Option<String>,
    credentials: Option<Arc<dyn Credentials>>,
    /// Whether whoever reads a request has its credential.
    is_credential_sent: bool,
    /// What is known of the secrets of the credentials.
    secrets: Vec<String>,
    region: Option<String>,
    headers: Vec<(String, String)>,
    extra: Map<String, Value>,
    max_tokens: Option<MaxTokensField>,
    quirks: Quirks,
    timeouts: Timeouts,
    bounds: Bounds,
    retry: Policy,
    clock: Option<Arc<dyn Clock>>,
    pub(super) profile: Option<Profile>,
    pub(super) catalogue: Catalogue,
    pub(super) is_free: bool,
    #[cfg(feature = "proxy")]
    proxies: Proxies,
}

impl Builder {
    /// A model of a server that speaks an API; the API's own path is appended to `base_url`.
    pub fn new(api: Api, base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            api,
            base_url: base_url.into(),
            model: model.into(),
            provider: api.wire().provider().to_owned(),
            key: None,
            token: None,
            credentials: None,
            is_credential_sent: false,
            secrets: Vec::new(),
            region: None,
            headers: Vec::new(),
            extra: Map::new(),
            max_tokens: None,
            quirks: Quirks::default(),
            timeouts: Timeouts::default(),
            bounds: Bounds::default(),
            retry: Policy::default(),
            clock: None,
            profile: None,
            catalogue: Catalogue::none(),
            is_free: false,
            #[cfg(feature = "proxy")]
            proxies: Proxies::none(),
        }
    }

    /// The key, sent as the API wants it; without one none is sent.
    pub fn api_key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    /// A bearer token, for servers that take one in place of the API's own key, such as Vertex AI.
    pub fn bearer(self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..self }
    }

    /// Where each attempt gets its credential; it takes precedence over a key or a token.
    ///
    /// Of what it gives, the last few secrets are masked in errors. [`Model::mask`] covers those
    /// that were given before it is called.
    ///
    /// [`Model::mask`]: legwork_port::Model::mask
    pub fn credentials(self, credentials: Arc<dyn Credentials>) -> Self {
        Self { credentials: Some(credentials), is_credential_sent: true, ..self }
    }

    /// Access keys of AWS, with which each attempt is signed; temporary ones have a session token.
    ///
    /// Needs the feature `bedrock`.
    #[cfg(feature = "bedrock")]
    pub fn aws(
        self,
        access_key: impl Into<String>,
        secret_key: impl Into<String>,
        session_token: Option<String>,
    ) -> Self {
        let (access_key, secret_key) = (access_key.into(), secret_key.into());
        self.constant(Credential::Aws { access_key, secret_key, session_token })
    }

    /// The region that signatures are for; by default the one that the host names.
    ///
    /// Needs the feature `bedrock`.
    #[cfg(feature = "bedrock")]
    pub fn region(self, region: impl Into<String>) -> Self {
        Self { region: Some(region.into()), ..self }
    }

    #[cfg_attr(not(feature = "bedrock"), expect(dead_code, reason = "other keys are headers"))]
    fn constant(self, credential: Credential) -> Self {
        let secrets = credential.secrets().cloned().collect();
        let is_credential_sent = credential.is_sent();
        let credentials: Option<Arc<dyn Credentials>> = Some(Arc::new(credential));
        Self { credentials, is_credential_sent, secrets, ..self }
    }

    /// The name before the colon in the model's name; by default that of the API's maker.
    pub fn provider(self, provider: impl Into<String>) -> Self {
        Self { provider: provider.into(), ..self }
    }

    /// Adds a header to each request; the value is masked if the name says that it is a secret.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Adds a field to the body of each request.
    pub fn field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(name.into(), value.into());
        self
    }

    /// Which field limits an answer of Chat Completions; by default as the base URL's host wants
    /// it.
    pub fn max_tokens_field(self, field: MaxTokensField) -> Self {
        Self { max_tokens: Some(field), ..self }
    }

    /// Does not ask for the usage of streams, for servers that refuse the question.
    pub fn without_stream_usage(mut self) -> Self {
        self.quirks.stream_usage = false;
        self
    }

    /// What the server does differently from others that speak Chat Completions.
    pub fn quirks(self, quirks: Quirks) -> Self {
        let max_tokens = match quirks.max_tokens {
            MaxTokensField::MaxTokens => self.max_tokens,
            other => Some(other),
        };
        Self { max_tokens, quirks, ..self }
    }

    /// How long the parts of an exchange may take.
    pub fn timeouts(self, timeouts: Timeouts) -> Self {
        Self { timeouts, ..self }
    }

    /// How much of one answer is read and kept.
    pub fn bounds(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// How often and how patiently a request is tried again.
    pub fn retry(self, retry: Policy) -> Self {
        Self { retry, ..self }
    }

    /// The clock that waits and time limits go by; the machine's by default.
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// What the model can do and costs; by default what is known of its name.
    pub fn profile(self, profile: Profile) -> Self {
        Self { profile: Some(profile), ..self }
    }

    /// A catalogue of one's own: what it says of the model counts, whatever its profile says.
    pub fn catalogue(self, catalogue: Catalogue) -> Self {
        Self { catalogue, ..self }
    }

    /// Its tokens cost nothing, whatever its profile says, so that a limit on money works.
    pub fn free(self) -> Self {
        Self { is_free: true, ..self }
    }

    /// The proxies that requests go through, if any does; none by default.
    ///
    /// Needs the feature `proxy`.
    #[cfg(feature = "proxy")]
    pub fn proxies(self, proxies: Proxies) -> Self {
        Self { proxies, ..self }
    }

    /// The model, ready to be asked.
    ///
    /// # Errors
    /// When the base URL, a header, an extra field or the proxy cannot be used.
    pub fn build(self) -> Result<HttpModel, Error> {
        let wire = self.api.wire();
        let endpoint =
            |asked| address::endpoint(&self.base_url, &wire.endpoint(&self.model, asked));
        let (uri, streaming) = (endpoint(Streaming::No)?, endpoint(Streaming::Yes)?);
        let own = wire.own_fields();
        if let Some(field) = self.extra.keys().find(|key| own.contains(&key.as_str())) {
            return Err(Error::OwnField { field: field.clone() });
        }
        let headers = self.all_headers()?;
        let (proxy, access) = (self.proxy_to(&uri)?, self.access_to(&uri));
        let keys = secrets_of(&headers);
        let is_exposed = !keys.is_empty() || self.is_credential_sent;
        let keys = keys.and(&self.secrets);
        let secrets = keys.and(proxy.as_ref().map_or(&[], Proxy::secrets));
        let template = self.template(Method::POST, &uri, headers.clone(), proxy.as_ref())?;
        let streaming = self.template(Method::POST, &streaming, headers.clone(), proxy.as_ref())?;
        let counter = self.counter(headers, proxy.as_ref())?;
        let official = uri.host() == Some("api.openai.com");
        let by_host = match official {
            true => MaxTokensField::MaxCompletionTokens,
            false => MaxTokensField::MaxTokens,
        };
        let name = self.name();
        let profile = self.whole_profile();
        let quirks = Quirks { max_tokens: self.max_tokens.unwrap_or(by_host), ..self.quirks };
        Ok(HttpModel {
            api: self.api,
            name,
            address: uri.to_string(),
            exposed: is_exposed.then(|| address::in_clear(&uri)).flatten(),
            client: Client::new(&uri, self.timeouts, proxy),
            access,
            template,
            streaming,
            counter,
            secrets,
            quirks,
            profile,
            head: wire.head(&self.provider, &self.model, &quirks),
            extra: self.extra,
            timeouts: self.timeouts,
            bounds: self.bounds,
            retry: self.retry,
            clock: self.clock.unwrap_or_else(|| Arc::new(SystemClock::default())),
        })
    }

    fn counter(&self, headers: HeaderMap, proxy: Option<&Proxy>) -> Result<Option<Counter>, Error> {
        let Some(counting) = self.api.wire().counting() else { return Ok(None) };
        let uri = address::endpoint(&self.base_url, &(counting.endpoint)(&self.model))?;
        let template = self.template(Method::POST, &uri, headers, proxy)?;
        Ok(Some(Counter { counting, template, address: uri.to_string() }))
    }

    /// Where else the server is asked something.
    pub(super) fn question(&self, path: &str) -> Result<Question, Error> {
        let uri = address::endpoint(&self.base_url, path)?;
        let (headers, proxy) = (self.all_headers()?, self.proxy_to(&uri)?);
        let secrets =
            secrets_of(&headers).and(&self.secrets).and(proxy.as_ref().map_or(&[], Proxy::secrets));
        let request = self.template(Method::GET, &uri, headers, proxy.as_ref())?;
        let client = Client::new(&uri, self.timeouts, proxy);
        let access = self.access_to(&uri);
        Ok(Question { api: self.api, client, access, address: uri.to_string(), request, secrets })
    }

    fn access_to(&self, server: &Uri) -> Option<Box<Access>> {
        let credentials = Arc::clone(self.credentials.as_ref()?);
        #[cfg(feature = "bedrock")]
        let named = || server.host().and_then(crate::bedrock::region_of).map(str::to_owned);
        #[cfg(not(feature = "bedrock"))]
        let named = || None;
        let region = self.region.clone().or_else(named);
        Some(Box::new(Access::new(self.api, credentials, region, server)))
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

    pub(super) fn timeouts_set(&self) -> Timeouts {
        self.timeouts
    }

    pub(super) fn clock_set(&self) -> Arc<dyn Clock> {
        self.clock.clone().unwrap_or_else(|| Arc::new(SystemClock::default()))
    }

    pub(super) fn bounds_set(&self) -> Bounds {
        self.bounds
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

    fn all_headers(&self) -> Result<HeaderMap, Error> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // JSON or a stream of events, as the request asks.
        headers.insert(ACCEPT, HeaderValue::from_static("*/*"));
        if let Some(codings) = accepted() {
            headers.insert(ACCEPT_ENCODING, codings);
        }
        self.api.wire().headers(&mut headers);
        if let Some(key) = &self.key {
            let (name, mut value) = self.api.wire().key(key).map_err(|_| Error::Key)?;
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

/// The secrets in the headers, as they are written there.
fn secrets_of(headers: &HeaderMap) -> Secrets {
    let mut secrets = Secrets::default();
    for value in headers.values().filter(|value| value.is_sensitive()) {
        let text = String::from_utf8_lossy(value.as_bytes());
        secrets.push(text.strip_prefix("Bearer ").unwrap_or(&text));
    }
    secrets
}
