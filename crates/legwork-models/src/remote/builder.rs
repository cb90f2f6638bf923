//! How an [`HttpModel`] is set up.

use std::sync::Arc;

use http::Method;
use legwork_core::ModelSettings;
use legwork_port::Profile;

use super::count::Counter;
use super::protocol::Protocol;
use super::settings::settings;
use super::setup::{Opened, Setup};
use super::spare::Spare;
use super::{HttpModel, address};
use crate::Api;
use crate::answer::Streaming;
#[cfg(feature = "bedrock")]
use crate::credentials::{Credential, Credentials};
use crate::named::filled;
#[cfg(feature = "responses")]
use crate::named::{AUTO, BACKGROUND, PREVIOUS};
use crate::wire::{MaxTokensField, Quirks};

/// Why a model could not be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
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

/// Sets up an [`HttpModel`]; what is not set has a sensible default.
#[must_use]
pub struct Builder {
    pub(super) api: Api,
    pub(super) setup: Setup,
    max_tokens: Option<MaxTokensField>,
    quirks: Quirks,
    pub(super) defaults: ModelSettings,
    pub(super) profile: Option<Profile>,
}

impl Builder {
    /// A model of a server that speaks an API; the API's own path is appended to `base_url`.
    pub fn new(api: Api, base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            api,
            setup: Setup::new(base_url.into(), model.into(), api.wire().provider()),
            max_tokens: None,
            quirks: Quirks::default(),
            defaults: ModelSettings::default(),
            profile: None,
        }
    }

    settings!();

    /// Access keys of AWS, with which each attempt is signed; temporary ones have a session token.
    ///
    /// Needs the feature `bedrock`.
    #[cfg(feature = "bedrock")]
    pub fn aws(
        mut self,
        access_key: impl Into<String>,
        secret_key: impl Into<String>,
        session_token: Option<String>,
    ) -> Self {
        let (access_key, secret_key) = (access_key.into(), secret_key.into());
        let credential = Credential::Aws { access_key, secret_key, session_token };
        self.setup.secrets = credential.secrets().cloned().collect();
        self.setup.is_credential_sent = credential.is_sent();
        let credentials: Arc<dyn Credentials> = Arc::new(credential);
        self.setup.credentials = Some(credentials);
        self
    }

    /// The region that signatures are for; by default the one that the host names.
    ///
    /// Needs the feature `bedrock`.
    #[cfg(feature = "bedrock")]
    pub fn region(mut self, region: impl Into<String>) -> Self {
        self.setup.region = Some(region.into());
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

    /// The settings of requests that set nothing themselves, such as those of an agent without
    /// settings; the model in them is left out. Settings given before fill what these leave open.
    ///
    /// They are part of the model and not of a session's journal, as those of an agent are.
    pub fn settings(self, settings: ModelSettings) -> Self {
        let defaults = filled(settings, &self.defaults);
        Self { defaults, ..self }
    }

    /// Has each answer of Responses made in the background, so that a lost connection loses
    /// nothing of it: the option `background=true`.
    ///
    /// The server keeps the response (`store`) while it makes it, and is asked how far it is until
    /// it is done, within the time of an answer ([`Timeouts::answer`](crate::http::Timeouts)). A
    /// stream goes on where its connection was lost. A response that is no longer waited for is
    /// cancelled.
    ///
    /// A request to another API, or one with `store: false`, is refused before it is sent. Needs
    /// the feature `responses`.
    ///
    /// ```
    /// use legwork_models::openai;
    ///
    /// let model = openai::responses("https://api.openai.com/v1", "gpt-5-pro")
    ///     .in_background()
    ///     .build()?;
    /// # drop(model);
    /// # Ok::<(), legwork_models::Error>(())
    /// ```
    #[cfg(feature = "responses")]
    pub fn in_background(mut self) -> Self {
        self.defaults.extra.insert(BACKGROUND.to_owned(), true.into());
        self
    }

    /// Sends to Responses only what is new since the last response that the server made and keeps:
    /// the option `previous_response_id=auto`.
    ///
    /// The id of a response, with a digest of what it covers, is journaled as metadata of its
    /// message. Where the transcript does not begin with that, because it was changed, compacted
    /// or handed over, the whole of it is sent; so it is, in the same inference, where the server
    /// no longer has the response. Instructions and tools are always sent.
    ///
    /// A request to another API, or one with `store: false`, is refused before it is sent. Needs
    /// the feature `responses`.
    #[cfg(feature = "responses")]
    pub fn continue_responses(mut self) -> Self {
        self.defaults.extra.insert(PREVIOUS.to_owned(), AUTO.into());
        self
    }

    /// What the model can do and costs; by default what is known of its name.
    pub fn profile(self, profile: Profile) -> Self {
        Self { profile: Some(profile), ..self }
    }

    /// The model, ready to be asked.
    ///
    /// # Errors
    /// When the base URL, a header, an extra field or the proxy cannot be used.
    pub fn build(self) -> Result<HttpModel, Error> {
        let (counter, profile) = (self.counter()?, self.whole_profile());
        let (wire, protocol, setup) = (self.api.wire(), Protocol::Inference(self.api), self.setup);
        let endpoint =
            |asked| address::endpoint(&setup.base_url, &wire.endpoint(&setup.model, asked));
        let (uri, streaming) = (endpoint(Streaming::No)?, endpoint(Streaming::Yes)?);
        setup.check_fields(protocol)?;
        let streaming = setup.open(protocol, Method::POST, &streaming)?.request;
        let opened = setup.open(protocol, Method::POST, &uri)?;
        let Opened { client, access, address, request: template, secrets, exposed, presence } =
            opened;
        let (client, access) = (Arc::new(client), access.map(Arc::from));
        let by_host = match uri.host() == Some("api.openai.com") {
            true => MaxTokensField::MaxCompletionTokens,
            false => MaxTokensField::MaxTokens,
        };
        let quirks = Quirks { max_tokens: self.max_tokens.unwrap_or(by_host), ..self.quirks };
        Ok(HttpModel {
            api: self.api,
            name: setup.name(),
            address,
            exposed,
            client,
            access,
            idempotency: setup.idempotency()?,
            tap: setup.tap().map(Arc::new),
            presence,
            template,
            streaming,
            counter,
            secrets,
            quirks,
            defaults: (self.defaults != ModelSettings::default()).then(|| self.defaults.into()),
            profile,
            spare: Spare::default(),
            repeated: Default::default(),
            head: wire.head(&setup.provider, &setup.model, &quirks),
            clock: setup.clock(),
            extra: setup.extra,
            timeouts: setup.timeouts,
            bounds: setup.bounds,
            retry: setup.retry,
        })
    }

    fn counter(&self) -> Result<Option<Counter>, Error> {
        let Some(counting) = self.api.wire().counting() else { return Ok(None) };
        let Setup { base_url, model, .. } = &self.setup;
        let uri = address::endpoint(base_url, &(counting.endpoint)(model))?;
        let opened = self.setup.open(Protocol::Inference(self.api), Method::POST, &uri)?;
        Ok(Some(Counter { counting, template: opened.request, address: opened.address }))
    }

    /// Where else the server is asked something.
    pub(super) fn question(&self, path: &str) -> Result<(Protocol, Opened), Error> {
        let protocol = Protocol::Inference(self.api);
        let uri = address::endpoint(&self.setup.base_url, path)?;
        Ok((protocol, self.setup.open(protocol, Method::GET, &uri)?))
    }
}
