//! A cache of answers.

mod memory;

use std::sync::Arc;

use legwork_core::digest::Digest;
use legwork_core::{FinishReason, ModelRequest, Part, Response, Usage};
use legwork_port::BoxFuture;
use legwork_port::model::{Deltas, Error, Model};
use tracing::debug;

pub use memory::MemoryCache;

use super::request;
use super::several::answered_by;
use crate::recited::recited;

/// Where answers are kept, by the digest of their request.
///
/// It decides alone what it keeps and for how long. An answer may be written as JSON.
pub trait Cache: Send + Sync {
    /// The answer to a request; none if there is none, or it cannot be read now.
    fn get<'a>(&'a self, key: &'a Digest) -> BoxFuture<'a, Option<Response>>;

    /// Keeps an answer, if it can.
    fn put(&self, key: Digest, response: Response) -> BoxFuture<'_, ()>;
}

impl<C: Cache + ?Sized> Cache for Arc<C> {
    fn get<'a>(&'a self, key: &'a Digest) -> BoxFuture<'a, Option<Response>> {
        (**self).get(key)
    }

    fn put(&self, key: Digest, response: Response) -> BoxFuture<'_, ()> {
        (**self).put(key, response)
    }
}

/// A model whose answers are kept, and given again to the same request.
///
/// The same request is the same model, settings, instructions, messages, tools and format. Only a
/// complete answer of text is kept: no calls, which have effects, no refusal, nothing that was cut.
///
/// An answer from the cache has a usage of zero, so it costs nothing, and `"cached": true` among
/// its raw fields; it is passed to the receiver of a stream part by part. Two equal requests at
/// once are both sent.
///
/// ```
/// use legwork_models::layers::{MemoryCache, ModelExt as _};
/// use legwork_port::Model;
/// use legwork_port::core::ModelRequest;
/// use legwork_testkit::{ScriptedModel, Turn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scripted = ScriptedModel::new([Turn::text("Rome")]);
/// let model = scripted.clone().with_cache(MemoryCache::of_bytes(1 << 20));
/// for _ in 0..2 {
///     let answer = model.infer(ModelRequest::blank(Default::default()), None).await?;
///     assert_eq!(answer.text(), "Rome");
/// }
/// assert_eq!(scripted.requests().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Caching<M, C> {
    model: M,
    cache: C,
}

impl<M, C> Caching<M, C> {
    /// A model with a cache.
    pub fn new(model: M, cache: C) -> Self {
        Self { model, cache }
    }
}

impl<M: Model, C: Cache> Model for Caching<M, C> {
    as_wrapped!();

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let key = request::digest(self.name(), &request);
            let cached = self.cache.get(&key).await;
            if let Some(response) = cached.filter(|cached| fits(cached, request.max_output)) {
                debug!(model = self.name(), "an answer comes from the cache");
                return Ok(recited(hit(response), deltas));
            }
            let response = self.model.infer(request, deltas).await?;
            if is_kept(&response) {
                self.cache.put(key, answered_by(response.clone(), self.name())).await;
            }
            Ok(response)
        })
    }
}

/// Whether an answer is one to this limit too.
fn fits(response: &Response, max_output: Option<u64>) -> bool {
    let output = response.usage.map_or(0, |usage| usage.output);
    max_output.is_none_or(|most| output <= most)
}

fn is_kept(response: &Response) -> bool {
    let is_text = |part: &Part| matches!(part, Part::Text(_) | Part::Thinking(_));
    response.incomplete.is_none()
        && response.finish == FinishReason::Stop
        && response.message.parts.iter().all(is_text)
}

/// An answer from the cache, which used nothing.
fn hit(mut response: Response) -> Response {
    response.usage = Some(Usage::default());
    response.charged_attempts = 0;
    response.discarded.clear();
    response.request_id = None;
    response.raw.insert("cached".to_owned(), true.into());
    response
}
