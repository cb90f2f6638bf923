//! An attempt at the vectors of a batch: an answer read as it comes, and what it comes to.

use std::time::Duration;

use bytes::Bytes;
use legwork_port::Deltas;
use legwork_port::embedder::Embeddings;
use legwork_port::model::Error;
use tracing::{Span, debug, debug_span};

use super::HttpEmbedder;
use crate::answer::Ended;
use crate::embeddings::{Reply, Unreadable};
use crate::remote::exchange::{Exchange, Reading};
use crate::remote::idempotency::Key;
use crate::remote::masked;
use crate::remote::traffic::Tap;
use crate::retry::Attempt;

/// A request whose body is sent once an attempt.
pub(super) struct Embedding<'a> {
    pub(super) embedder: &'a HttpEmbedder,
    pub(super) body: Bytes,
    pub(super) key: Option<Key>,
    /// How many texts are in the body.
    pub(super) texts: usize,
    pub(super) dimensions: Option<u32>,
}

impl Embedding<'_> {
    async fn once(&self) -> Result<Embeddings, Error> {
        let HttpEmbedder { client, access, template, timeouts, clock, presence, .. } =
            self.embedder;
        let exchange = Exchange {
            client,
            access: access.as_deref(),
            key: self.key.as_ref(),
            presence,
            template,
            timeouts,
            clock: &**clock,
            tried: self.embedder.tried(),
            tapped: self.embedder.tap.as_ref().map(Tap::attempt),
        };
        let mut watch = exchange.watch();
        let mut answer = exchange.send(self.body.clone(), &mut watch).await?;
        let status = answer.status();
        let reply = Reply::within(self.embedder.bounds, self.embedder.api, status.as_u16());
        let mut reply = reply.for_texts(self.texts).with_dimensions(self.dimensions);
        let problem = exchange.read(&mut answer, &mut reply, &mut watch).await;
        let ended = if problem.is_some() { Ended::Cut } else { Ended::Whole };
        let error = match (reply.finish(ended), problem) {
            (Ok(vectors), _) => {
                let input_tokens = vectors.usage.map(|usage| usage.input);
                debug!(status = status.as_u16(), input_tokens, "an answer finished");
                return Ok(vectors);
            }
            (Err(Unreadable::Cut), Some(problem)) => problem,
            (Err(why), _) => exchange.tried.without_vectors(why, exchange.answered(&answer)),
        };
        Err(exchange.identified(error, &answer))
    }
}

impl Attempt for Embedding<'_> {
    type Answer = Embeddings;

    fn model(&self) -> &str {
        &self.embedder.name
    }

    fn span(&self, attempt: u32) -> Span {
        let HttpEmbedder { name, client, .. } = self.embedder;
        debug_span!("embeddings", model = name, server = %client.origin(), attempt)
    }

    async fn make(&self, _: &mut dyn Deltas) -> Result<Embeddings, Error> {
        let HttpEmbedder { secrets, access, .. } = self.embedder;
        self.once().await.map_err(|error| masked(secrets, access.as_deref(), error))
    }

    fn in_short<'e>(&self, error: &'e Error) -> &'e str {
        self.embedder.tried().in_short(error)
    }
}

impl Reading for Reply {
    fn push(&mut self, bytes: &[u8]) {
        self.push(bytes);
    }

    fn is_over(&self) -> bool {
        self.is_over()
    }

    fn is_done(&self) -> bool {
        false
    }

    fn take_moved(&mut self) -> bool {
        self.take_moved()
    }

    fn took_too_long(&mut self, most: Duration) {
        self.took_too_long(most);
    }
}
