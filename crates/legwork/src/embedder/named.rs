//! Embedding models by name, over the APIs of their providers.

use std::sync::Arc;

use legwork_models::credentials::Credential;
use legwork_models::{EmbedderBuilder, Provider, providers};
use legwork_port::Embedder;

use crate::error::Result;
use crate::model::named::{Account, account, check_key, without_url};
use crate::model::{Problem, failed, split};

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let has_embeddings = |provider: &&Provider| provider.embeddings.is_some();
    providers::ALL.iter().filter(has_embeddings).map(|provider| provider.name)
}

pub(super) fn from_env(name: &str) -> Result<Arc<dyn Embedder>> {
    built(name, builder_from_env(name)?)
}

/// A builder of the embedder that [`from_env`](super::from_env) returns, with the key, the base
/// URL and the proxies from the environment filled in.
///
/// What is set afterwards takes the place of what the environment says. Needs the feature of an
/// API that has embeddings.
///
/// # Errors
/// As [`from_env`](super::from_env), except for an unusable URL or proxy, which is an error of
/// building the embedder.
pub fn builder_from_env(name: &str) -> Result<EmbedderBuilder> {
    let Account { base_url, credential } = account(name)?;
    let embedder = begun(name, base_url.as_deref())?;
    let embedder = match credential {
        Some(Credential::Key(key)) => embedder.api_key(key),
        Some(credential) => embedder.credentials(Arc::new(credential)),
        None => embedder,
    };
    #[cfg(feature = "proxy")]
    let embedder = embedder.proxies(crate::model::proxies_from_env());
    Ok(embedder)
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
/// is asked over OpenAI's API of embeddings at `base_url`. It does not read the environment:
/// [`builder_from_env`] does. Needs the feature of an API that has embeddings.
///
/// # Errors
/// As [`at`](super::at), except for an unusable URL, which is an error of building the embedder.
pub fn builder(name: &str, base_url: Option<&str>, key: Option<&str>) -> Result<EmbedderBuilder> {
    let (of, _) = split(name)?;
    let known = providers::find(of).filter(|known| known.embeddings.is_some());
    check_key(name, known, base_url, key)?;
    let builder = begun(name, base_url)?;
    Ok(match key {
        Some(key) => builder.api_key(key),
        None => builder,
    })
}

/// A builder without a key.
fn begun(name: &str, base_url: Option<&str>) -> Result<EmbedderBuilder> {
    if name.contains('?') {
        return Err(failed(name, Problem::NoOptions));
    }
    let (of, model) = split(name)?;
    match (providers::find(of), base_url) {
        (Some(known), base_url) => {
            if known.embeddings.is_none() {
                return Err(failed(name, without_embeddings(known)));
            }
            let builder = known.embedder(model, base_url);
            let builder = builder.ok_or_else(|| failed(name, without_url(known)))?;
            Ok(if known.is_local() { builder.free() } else { builder })
        }
        (None, Some(url)) => Ok(usual(name, url, model)?.provider(of)),
        (None, None) => Err(failed(name, unknown(of))),
    }
}

/// A model of a server of which nothing but its URL is known.
#[cfg(any(feature = "openai", feature = "responses"))]
#[expect(clippy::unnecessary_wraps, reason = "as without the features")]
fn usual(_: &str, url: &str, model: &str) -> Result<EmbedderBuilder> {
    Ok(legwork_models::embeddings::openai(url, model))
}

#[cfg(not(any(feature = "openai", feature = "responses")))]
fn usual(name: &str, _: &str, _: &str) -> Result<EmbedderBuilder> {
    Err(failed(name, Problem::Feature("openai")))
}

fn without_embeddings(provider: &Provider) -> Problem {
    Problem::Embeddings { title: provider.title, known: names().collect() }
}

fn unknown(provider: &str) -> Problem {
    Problem::Provider {
        provider: provider.to_owned(),
        known: names().collect(),
        api: "OpenAI's embeddings",
        function: "embedder::at",
    }
}
