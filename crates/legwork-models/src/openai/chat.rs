//! A model behind an OpenAI-compatible Chat Completions API.

use std::fmt;
use std::future::ready;
use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use legwork_core::{Mask, ModelRequest, Response};
use legwork_port::model::{self, Kind};
use legwork_port::{BoxFuture, Clock, Deltas, Model, Profile};
use serde_json::{Map, Value};
use tracing::{Span, debug_span};

use super::builder::Builder;
use super::encode::{self, Frame, Head, MaxTokensField, OWN_FIELDS, Stream};
use super::exchange::Exchange;
use super::failure::Tried;
use super::reply::Streaming;
use super::secrets::Secrets;
use crate::bounds::Bounds;
use crate::http::{Client, Timeouts};
use crate::retry::{Attempt, Policy, persist};

/// A model behind an OpenAI-compatible Chat Completions API.
///
/// Making one opens nothing: the client, and with `https` the system's
/// certificates, are there when the first request needs them.
pub struct ChatCompletions {
    pub(super) name: String,
    pub(super) head: Head,
    /// A request without its body.
    pub(super) template: Request<()>,
    /// The address as messages show it: without a name or a password.
    pub(super) address: String,
    pub(super) client: Client,
    pub(super) secrets: Secrets,
    /// The host to which the key is sent without encryption.
    pub(super) exposed: Option<String>,
    pub(super) extra: Map<String, Value>,
    pub(super) max_tokens: MaxTokensField,
    pub(super) stream: Stream,
    pub(super) timeouts: Timeouts,
    pub(super) bounds: Bounds,
    pub(super) retry: Policy,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) profile: Profile,
}

/// Shows its name and address; never the key.
impl fmt::Debug for ChatCompletions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatCompletions")
            .field("name", &self.name)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl ChatCompletions {
    /// A model of a server; `base_url` is what `/chat/completions` is put behind.
    pub fn builder(base_url: impl Into<String>, model: impl Into<String>) -> Builder {
        Builder::new(base_url.into(), model.into())
    }

    /// The body that a request is sent as.
    ///
    /// # Errors
    /// When the settings' extra fields name one that is the wire's own.
    pub fn body(&self, request: &ModelRequest, asked: Streaming) -> Result<Bytes, model::Error> {
        let mut keys = request.settings.extra.keys();
        if let Some(key) = keys.find(|key| OWN_FIELDS.contains(&key.as_str())) {
            let message = format!(
                "asking {}: the extra field `{key}` is the wire's own; take it out of the settings",
                self.name
            );
            return Err(model::Error::new(Kind::BadRequest, message));
        }
        let stream = match asked {
            Streaming::No => Stream::No,
            Streaming::Yes => self.stream,
        };
        let frame =
            Frame { head: &self.head, max_tokens: self.max_tokens, extra: &self.extra, stream };
        Ok(encode::body(request, frame).into())
    }

    fn exchange(&self) -> Exchange<'_> {
        Exchange {
            client: &self.client,
            template: &self.template,
            timeouts: &self.timeouts,
            bounds: &self.bounds,
            provider: self.head.provider(),
            clock: &*self.clock,
            tried: Tried { model: &self.name, address: &self.address, proxy: self.client.proxy() },
        }
    }

    /// The host to which its key is sent without encryption, if it is.
    pub fn exposes_key(&self) -> Option<&str> {
        self.exposed.as_deref()
    }
}

/// A request whose body is sent once an attempt.
struct Asking<'a> {
    chat: &'a ChatCompletions,
    body: Bytes,
    asked: Streaming,
}

impl Attempt for Asking<'_> {
    fn model(&self) -> &str {
        &self.chat.name
    }

    fn span(&self, attempt: u32) -> Span {
        let ChatCompletions { name, client, .. } = self.chat;
        debug_span!("chat", model = name, server = %client.origin(), attempt)
    }

    async fn make(&self, deltas: &mut dyn Deltas) -> Result<Response, model::Error> {
        let exchange = self.chat.exchange();
        let answer = exchange.attempt(self.body.clone(), self.asked, deltas).await;
        answer.map_err(|error| self.chat.secrets.of_error(error))
    }

    fn in_short<'e>(&self, error: &'e model::Error) -> &'e str {
        self.chat.exchange().tried.in_short(error)
    }
}

impl Model for ChatCompletions {
    fn name(&self) -> &str {
        &self.name
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn mask(&self) -> Mask {
        self.secrets.mask()
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, model::Error>> {
        let streams = deltas.as_ref().is_some_and(|deltas| deltas.streams());
        let asked = if streams { Streaming::Yes } else { Streaming::No };
        let body = self.body(&request, asked);
        // Clones of messages that wait here would make every push copy its path.
        drop(request);
        match body {
            Ok(body) => Box::pin(async move {
                let asking = Asking { chat: self, body, asked };
                persist(&asking, &self.retry, &*self.clock, deltas).await
            }),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }
}
