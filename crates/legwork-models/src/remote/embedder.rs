//! Embedding models behind the APIs of providers, over HTTP.

mod attempt;
mod builder;

use std::fmt;
use std::sync::Arc;

use attempt::Embedding;
use bytes::Bytes;
use http::Request as HttpRequest;
use legwork_core::Mask;
use legwork_port::embedder::{Embeddings, Error, Profile, Request};
use legwork_port::model::{self, Kind};
use legwork_port::{BoxFuture, Clock, Embedder};
use serde_json::{Map, Value};

use super::access::Access;
use super::failure::Tried;
use super::idempotency::Idempotency;
use super::presence::Presence;
use super::protocol::Protocol;
use super::secrets::Secrets;
use super::traffic::Tap;
use crate::bounds::Bounds;
use crate::embeddings::{Api, Asked, Fault, Quirks, batches};
use crate::http::{Client, Timeouts};
use crate::retry::{Policy, persist};

pub use builder::EmbedderBuilder;

/// An embedding model behind the API of a provider.
///
/// Making one opens nothing. Texts are sent in as many requests as the provider wants, one after
/// the other; each is repeated as those of an [`HttpModel`](super::HttpModel) are.
pub struct HttpEmbedder {
    api: Api,
    name: String,
    /// A request without its body.
    template: HttpRequest<()>,
    /// The address as messages show it: without a name or a password.
    address: String,
    client: Client,
    access: Option<Box<Access>>,
    idempotency: Option<Idempotency>,
    presence: Presence,
    tap: Option<Tap>,
    secrets: Secrets,
    /// The host to which the key is sent without encryption.
    exposed: Option<String>,
    extra: Map<String, Value>,
    quirks: Quirks,
    timeouts: Timeouts,
    bounds: Bounds,
    retry: Policy,
    clock: Arc<dyn Clock>,
    profile: Profile,
}

/// Shows its name and address; never the key.
impl fmt::Debug for HttpEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpEmbedder")
            .field("name", &self.name)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl HttpEmbedder {
    /// The API that it is asked over.
    pub fn api(&self) -> Api {
        self.api
    }

    /// The host to which its key is sent without encryption, if it is.
    pub fn exposes_key(&self) -> Option<&str> {
        self.exposed.as_deref()
    }

    /// The bodies of the requests that this one is sent as, in order.
    ///
    /// # Errors
    /// When it asks for what the API cannot do, or one of its extra fields is the wire's own.
    pub fn bodies(&self, request: &Request) -> Result<Vec<Bytes>, model::Error> {
        self.batches(request).map(|texts| self.body(texts, request)).collect()
    }

    fn batches<'t>(&self, request: &'t Request) -> impl Iterator<Item = &'t [String]> {
        let dimensions = request.dimensions.or(self.profile.dimensions);
        batches(&request.texts, dimensions, &self.quirks, &self.bounds)
    }

    fn body(&self, texts: &[String], request: &Request) -> Result<Bytes, model::Error> {
        let (wire, mut keys) = (self.api.wire(), request.extra.keys());
        let refused = |problem: &str| {
            model::Error::new(Kind::BadRequest, format!("asking {}: {problem}", self.name))
        };
        if let Some(key) = keys.find(|key| wire.own_fields().contains(&key.as_str())) {
            let problem =
                format!("the extra field `{key}` is the wire's own; take it out of the request");
            return Err(refused(&problem));
        }
        let asked = Asked {
            model: self.name.split_once(':').map_or("", |(_, model)| model),
            texts,
            purpose: request.purpose,
            dimensions: request.dimensions,
            quirks: &self.quirks,
            extra: &self.extra,
            inner: &request.extra,
        };
        wire.body(&asked).map(Bytes::from).map_err(|problem| refused(&problem))
    }

    /// The vectors of all texts, batch by batch.
    async fn all(&self, request: Request) -> Result<Embeddings, Error> {
        let mut all = Embeddings::default();
        for texts in self.batches(&request) {
            match self.batch(texts, &request, &all).await {
                Ok(part) => join(&mut all, part),
                Err(cause) => return Err(Error::from(cause).after(all)),
            }
        }
        Ok(all)
    }

    async fn batch(
        &self,
        texts: &[String],
        request: &Request,
        before: &Embeddings,
    ) -> Result<Embeddings, model::Error> {
        let (body, dimensions) = (self.body(texts, request)?, request.dimensions);
        let key = self.idempotency.as_ref().and_then(Idempotency::key);
        let embedding = Embedding { embedder: self, body, key, texts: texts.len(), dimensions };
        let part = persist(&embedding, &self.retry, &*self.clock, None).await?;
        let length = |answer: &Embeddings| answer.vectors.first().map(Vec::len);
        match (length(before), length(&part)) {
            (Some(others), Some(numbers)) if others != numbers => {
                let fault = Fault::Length { text: 0, numbers, others };
                Err(self.tried().wrong_vectors(&fault.to_string()))
            }
            _ => Ok(part),
        }
    }

    fn tried(&self) -> Tried<'_> {
        Tried {
            protocol: Protocol::Embeddings(self.api),
            model: &self.name,
            address: &self.address,
            proxy: self.client.proxy(),
        }
    }
}

/// Adds the vectors of the next texts to those before.
fn join(all: &mut Embeddings, part: Embeddings) {
    let first = all.vectors.is_empty();
    all.usage = match (all.usage, part.usage) {
        (_, usage) if first => usage,
        (Some(before), Some(usage)) => Some(before.plus(&usage)),
        _ => None,
    };
    all.model = all.model.take().or(part.model);
    all.charged_attempts += part.charged_attempts;
    all.vectors.extend(part.vectors);
}

impl Embedder for HttpEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn mask(&self) -> Mask {
        super::mask(&self.secrets, self.access.as_deref())
    }

    fn embed(&self, request: Request) -> BoxFuture<'_, Result<Embeddings, Error>> {
        Box::pin(self.all(request))
    }
}
