//! Models behind the APIs of providers, over HTTP.
//!
//! Read in this order: `setup` (where and as whom), `builder`, `known` (what is known of a model),
//! this module, `exchange` (a request and its answer), `inference` (an attempt), `failure` (what
//! goes wrong), `models` (what a server offers), `count` (tokens, counted), `question` (how it is
//! asked for both), `paused` (answers in parts), `stored` (answers that the
//! server keeps), `embedder`, `idempotency`, `presence`, `access` (credentials),
//! `address`, `secrets`, `traffic` (what is sent and received, observed).

mod access;
mod address;
mod answered;
mod builder;
mod count;
#[cfg(feature = "embeddings")]
mod embedder;
mod exchange;
mod failure;
mod idempotency;
mod inference;
mod known;
mod models;
mod paused;
mod presence;
mod protocol;
mod question;
mod secrets;
mod settings;
mod setup;
mod spare;
#[cfg(feature = "responses")]
mod stored;
mod traffic;

#[cfg(test)]
#[cfg(all(feature = "http2", feature = "proxy"))]
mod tests;

use std::fmt;
use std::future::ready;
use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use legwork_core::inference::ToolChoice;
use legwork_core::{Mask, ModelRequest, ModelSettings, Response};
use legwork_port::model::{self, Count, Kind};
use legwork_port::{BoxFuture, Clock, Deltas, Model, Profile};
use serde_json::{Map, Value};
use tracing::{Span, debug_span};

use access::Access;
use count::Counter;
use exchange::Exchange;
use idempotency::{Idempotency, Key};
use inference::Inference;
use presence::Presence;
use secrets::Secrets;
use spare::Spare;
use traffic::Tap;

use crate::Api;
use crate::answer::Streaming;
use crate::answer::repeated::Repeated;
use crate::bounds::Bounds;
use crate::http::{Client, Timeouts};
use crate::named::with_defaults;
#[cfg(feature = "responses")]
use crate::openai::responses::continued::Conversation;
use crate::retry::{Attempt, Policy, persist};
#[cfg(feature = "responses")]
use crate::wire::{Body, Stored};
use crate::wire::{Course, Frame, Head, Quirks, lacking, size};

pub use builder::{Builder, Error};
#[cfg(feature = "embeddings")]
pub use embedder::{EmbedderBuilder, HttpEmbedder};
pub use models::{Offered, Unavailable};
pub use traffic::{Piece, Traffic};

/// A model behind the API of a provider.
///
/// Making one opens nothing: the client, and with `https` the system's
/// certificates, are there when the first request needs them.
pub struct HttpModel {
    api: Api,
    name: String,
    head: Head,
    spare: Spare,
    repeated: Arc<Repeated>,
    /// A request without its body.
    template: Request<()>,
    /// One whose answer is a stream.
    streaming: Request<()>,
    /// Where tokens are counted, if the provider counts them.
    counter: Option<Counter>,
    /// The address as messages show it: without a name or a password.
    address: String,
    client: Arc<Client>,
    /// Where each attempt gets its credential, if it has none of its own.
    access: Option<Arc<Access>>,
    /// How its requests are given keys, if they are.
    idempotency: Option<Idempotency>,
    presence: Presence,
    tap: Option<Arc<Tap>>,
    secrets: Secrets,
    /// The host to which the key is sent without encryption.
    exposed: Option<String>,
    extra: Map<String, Value>,
    quirks: Quirks,
    /// What requests are asked with that set nothing themselves.
    defaults: Option<Arc<ModelSettings>>,
    timeouts: Timeouts,
    bounds: Bounds,
    retry: Policy,
    clock: Arc<dyn Clock>,
    profile: Profile,
}

/// Shows its name and address; never the key.
impl fmt::Debug for HttpModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpModel")
            .field("name", &self.name)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl HttpModel {
    /// The API that it is asked over.
    pub fn api(&self) -> Api {
        self.api
    }

    /// The request with the defaults of the model where it sets nothing.
    ///
    /// Thinking by default gives way to a call that the request demands, where the API takes one
    /// of them alone.
    fn filled(&self, request: ModelRequest, others: &ModelSettings) -> ModelRequest {
        let demands = matches!(request.tool_choice, ToolChoice::Required | ToolChoice::Named(_));
        match demands && !self.api.wire().thinks_beside_demands() {
            true => with_defaults(request, &ModelSettings { thinking: None, ..others.clone() }),
            false => with_defaults(request, others),
        }
    }

    /// The body that a request is sent as.
    ///
    /// # Errors
    /// When the settings ask for what the API cannot do, or their extra fields name one that is
    /// the wire's own.
    pub fn body(&self, request: &ModelRequest, asked: Streaming) -> Result<Bytes, model::Error> {
        let filled = self.defaults.as_ref().map(|others| self.filled(request.clone(), others));
        let request = filled.as_ref().unwrap_or(request);
        #[cfg(feature = "responses")]
        if let Course::Stored(Stored { continues: true, .. }) =
            self.api.wire().course(request, self.frame(asked))
        {
            let (_, previous) = Conversation::read(request, &self.head, &self.address);
            return self.body_in(request, Frame { previous, ..self.frame(asked) });
        }
        self.body_in(request, self.frame(asked))
    }

    /// The body of a request that has the defaults of the model.
    fn body_in(&self, request: &ModelRequest, frame: Frame<'_>) -> Result<Bytes, model::Error> {
        let refused = |problem: String| {
            let message = format!("asking {}: {problem}", self.name);
            model::Error::new(Kind::BadRequest, message)
        };
        let wire = self.api.wire();
        let (inner, outer) = (&request.settings.extra, frame.extra.iter());
        for (key, value) in inner.iter().chain(outer.filter(|(key, _)| !inner.contains_key(*key))) {
            if wire.own_fields().contains(&key.as_str()) && inner.contains_key(key) {
                return Err(refused(format!(
                    "the extra field `{key}` is the wire's own; take it out of the settings"
                )));
            }
            if let Some(what) = lacking(key, value).filter(|_| !wire.keeps_responses()) {
                let title = wire.title();
                return Err(refused(format!(
                    "the API {title} has no {what}: remove `{key}`, or use the API `responses`"
                )));
            }
        }
        #[cfg(feature = "responses")]
        if frame.previous.is_some() {
            // It is short, and continues no other.
            let mut body = Body::default();
            wire.body(request, frame, &mut body).map_err(refused)?;
            return Ok(body.into_written().bytes.into());
        }
        let mut body = self.spare.take(size(request));
        wire.body(request, frame, &mut body).map_err(refused)?;
        Ok(self.spare.keep(body))
    }

    fn frame(&self, asked: Streaming) -> Frame<'_> {
        Frame {
            head: &self.head,
            model: self.name.split_once(':').map_or("", |(_, model)| model),
            quirks: &self.quirks,
            extra: &self.extra,
            asked,
            profile: &self.profile,
            #[cfg(feature = "responses")]
            previous: None,
        }
    }

    /// A request with this body, which keeps its key in all attempts.
    fn attempt(&self, body: Bytes, asked: Streaming) -> HttpAttempt<'_> {
        let key = self.idempotency.as_ref().and_then(Idempotency::key);
        HttpAttempt { model: self, body, asked, key }
    }

    fn inference<'a>(&'a self, asked: Streaming, key: Option<&'a Key>) -> Inference<'a> {
        let exchange = Exchange {
            client: &self.client,
            access: self.access.as_deref(),
            key,
            presence: &self.presence,
            template: match asked {
                Streaming::No => &self.template,
                Streaming::Yes => &self.streaming,
            },
            timeouts: &self.timeouts,
            clock: &*self.clock,
            tried: self.tried(&self.address),
            tapped: self.tap.as_deref().map(Tap::attempt),
        };
        let (api, provider, bounds) = (self.api, &self.head.provider, self.bounds);
        let repeated = &self.repeated;
        Inference { exchange, api, provider, repeated, bounds, asked }
    }

    fn span(&self, attempt: u32) -> Span {
        debug_span!("chat", model = self.name, server = %self.client.origin(), attempt)
    }

    fn masked(&self, error: model::Error) -> model::Error {
        masked(&self.secrets, self.access.as_deref(), error)
    }

    /// The host to which its key is sent without encryption, if it is.
    pub fn exposes_key(&self) -> Option<&str> {
        self.exposed.as_deref()
    }
}

/// An error without secrets, also those of the credentials that were used last.
fn masked(secrets: &Secrets, access: Option<&Access>, error: model::Error) -> model::Error {
    let error = secrets.of_error(error);
    match access {
        None => error,
        Some(access) => access.secrets().of_error(error),
    }
}

/// The mask of all secrets that are known, and of those that credentials will have.
fn mask(secrets: &Secrets, access: Option<&Access>) -> Mask {
    match access {
        None => secrets.mask(),
        Some(access) => secrets.mask().and(&access.mask()),
    }
}

/// A request whose body is sent once an attempt.
struct HttpAttempt<'a> {
    model: &'a HttpModel,
    body: Bytes,
    asked: Streaming,
    key: Option<Key>,
}

impl Attempt for HttpAttempt<'_> {
    type Answer = Response;

    fn model(&self) -> &str {
        &self.model.name
    }

    fn span(&self, attempt: u32) -> Span {
        self.model.span(attempt)
    }

    async fn make(&self, deltas: &mut dyn Deltas) -> Result<Response, model::Error> {
        let inference = self.model.inference(self.asked, self.key.as_ref());
        let answer = inference.attempt(self.body.clone(), deltas).await;
        answer.map_err(|error| self.model.masked(error))
    }

    fn in_short<'e>(&self, error: &'e model::Error) -> &'e str {
        self.model.tried(&self.model.address).in_short(error)
    }
}

impl Model for HttpModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn mask(&self) -> Mask {
        mask(&self.secrets, self.access.as_deref())
    }

    fn count_tokens<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<Count, model::Error>> {
        let Some(counter) = &self.counter else {
            return Box::pin(ready(Ok(Count::estimate(request))));
        };
        Box::pin(async move {
            let body = self.count_body(counter, request)?;
            let counted = self.counted(counter, body).await?;
            Ok(counted.unwrap_or_else(|| Count::estimate(request)))
        })
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, model::Error>> {
        let request = match &self.defaults {
            Some(others) => self.filled(request, others),
            None => request,
        };
        let streams = deltas.as_ref().is_some_and(|deltas| deltas.streams());
        let asked = if streams { Streaming::Yes } else { Streaming::No };
        let frame = self.frame(asked);
        match self.api.wire().course(&request, frame) {
            Course::Direct => {}
            Course::InParts => return Box::pin(paused::whole(self, request, asked, deltas)),
            #[cfg(feature = "responses")]
            Course::Stored(kept) => {
                return Box::pin(stored::answer(self, request, kept, asked, deltas));
            }
        }
        let body = self.body_in(&request, frame);
        // Clones of messages that wait here would make every push copy its path.
        drop(request);
        match body {
            Ok(body) => Box::pin(async move {
                let attempt = self.attempt(body, asked);
                persist(&attempt, &self.retry, &*self.clock, deltas).await
            }),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }
}
