//! Embedding models by name, over the APIs of their providers.

use std::sync::Arc;

use legwork_models::{EmbedderBuilder, Provider, providers};
use legwork_port::Embedder;

use crate::error::Result;
use crate::model::named::{Environment, check_key, environment, without_url};
use crate::model::{failed, split};

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let has_embeddings = |provider: &&Provider| provider.embeddings.is_some();
    providers::ALL.iter().filter(has_embeddings).map(|provider| provider.name)
}

pub(super) fn from_env(name: &str) -> Result<Arc<dyn Embedder>> {
    let Environment { base_url, key } = environment(name);
    let embedder = builder(name, base_url.as_deref(), key.as_deref())?;
    #[cfg(feature = "proxy")]
    let embedder = embedder.proxies(crate::model::proxies_from_env());
    built(name, embedder)
}

pub(super) fn at(
    name: &str,
    base_url: Option<&str>,
    key: Option<&str>,
) -> Result<Arc<dyn Embedder>> {
    built(name, builder(name, base_url, key)?)
}

fn built(name: &str, builder: EmbedderBuilder) -> Result<Arc<dyn Embedder>> {
    let embedder = builder.build().map_err(|error| failed(name, error))?;
    Ok(Arc::new(embedder))
}

/// A builder of the embedder that [`at`](super::at) returns.
///
/// It has further settings, such as time limits, bounds and quirks. A provider that is not known
/// is asked over OpenAI's API of embeddings at `base_url`. Needs the feature of an API that has
/// embeddings.
///
/// # Errors
/// As [`at`](super::at), except for an unusable URL, which is an error of building the embedder.
pub fn builder(name: &str, base_url: Option<&str>, key: Option<&str>) -> Result<EmbedderBuilder> {
    let (of, model) = split(name)?;
    let builder = match (providers::find(of), base_url) {
        (Some(known), base_url) => {
            if known.embeddings.is_none() {
                return Err(failed(name, without_embeddings(known)));
            }
            check_key(name, known, base_url, key)?;
            let builder = known.embedder(model, base_url);
            let builder = builder.ok_or_else(|| failed(name, without_url(known)))?;
            if known.is_local() { builder.free() } else { builder }
        }
        (None, Some(url)) => usual(name, url, model)?.provider(of),
        (None, None) => return Err(failed(name, unknown(of))),
    };
    Ok(match key {
        Some(key) => builder.api_key(key),
        None => builder,
    })
}

/// A model of a server of which nothing but its URL is known.
#[cfg(any(feature = "openai", feature = "responses"))]
#[expect(clippy::unnecessary_wraps, reason = "as without the features")]
fn usual(_: &str, url: &str, model: &str) -> Result<EmbedderBuilder> {
    Ok(legwork_models::embeddings::openai(url, model))
}

#[cfg(not(any(feature = "openai", feature = "responses")))]
fn usual(name: &str, _: &str, _: &str) -> Result<EmbedderBuilder> {
    Err(failed(name, crate::error::feature("openai")))
}

fn without_embeddings(provider: &Provider) -> String {
    format!(
        "no embeddings of {} are known: take a model of {}",
        provider.title,
        names().collect::<Vec<_>>().join(", ")
    )
}

fn unknown(provider: &str) -> String {
    format!(
        "the provider `{provider}` is not known: with embeddings are {}; for any other server \
         that speaks OpenAI's embeddings give its base URL with `embedder::at`",
        names().collect::<Vec<_>>().join(", ")
    )
}
