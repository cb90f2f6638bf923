//! Models by name: `provider:name`, with options behind it as in
//! `openai:gpt-5-mini?thinking=high&temperature=0.2` (`Named`).

use std::sync::Arc;

use legwork_core::nearest::nearest;
use legwork_port::Model;

#[cfg(feature = "anthropic")]
pub use legwork_models::anthropic;
#[cfg(feature = "bedrock")]
pub use legwork_models::bedrock;
#[cfg(feature = "gemini")]
pub use legwork_models::gemini;
#[cfg(any(feature = "openai", feature = "responses"))]
pub use legwork_models::openai;
#[cfg(feature = "models")]
pub use legwork_models::{
    Api, Builder, CallIds, HttpModel, MaxTokensField, Named, PromptCache, Provider, Quirks,
    SeedField, ThinkingBack, ThinkingControl, UnknownApi, answer, credentials, http,
    named as options, providers::Unset, remote,
};
pub use legwork_models::{Bounds, Catalogue, bounds, catalogue, layers, retry};

use crate::error::{Error, Result};

#[cfg_attr(not(feature = "models"), path = "model/none.rs")]
pub(crate) mod named;
mod problem;

pub use problem::Problem;

#[cfg(feature = "proxy")]
pub use named::proxies_from_env;
#[cfg(feature = "models")]
pub use named::{builder, builder_from_env, known, provider};

/// The names of the known providers.
pub fn providers() -> impl Iterator<Item = &'static str> {
    named::names()
}

/// The environment variables that may hold a provider's key, in the order in which they are
/// looked at; none if it is unknown or needs no key.
pub fn key_variables(provider: &str) -> &'static [&'static str] {
    named::keys(provider)
}

/// A model by its name, with the key and the base URL from the environment.
///
/// The name may have options: `anthropic:claude-sonnet-4-6?thinking=high`. They apply to requests
/// that set nothing themselves.
///
/// The key is in the variable of its provider, such as `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`
/// ([`key_variables`]). `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL` and `AZURE_OPENAI_BASE_URL` name
/// another server of theirs, and with one the key may be missing. `bedrock` is asked in the region of
/// `AWS_REGION` (or `AWS_DEFAULT_REGION`), with the key in `AWS_BEARER_TOKEN_BEDROCK` or the access
/// keys in `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`; `vertex` in the
/// project of `GOOGLE_CLOUD_PROJECT` at `GOOGLE_CLOUD_LOCATION`, with the access token in
/// `GOOGLE_OAUTH_ACCESS_TOKEN`. Local servers (`ollama`,
/// `llamacpp`, `lmstudio`, `vllm`) need no key and have their usual URL. With the feature
/// `proxy` (on by default) requests go through the proxies that the environment names.
///
/// # Errors
/// [`Error::Model`] if the name is not `provider:name`, the provider unknown, the key missing,
/// the proxy unusable, or the feature of its API off.
///
/// `builder_from_env` gives the same model with further settings, such as time limits.
pub fn from_env(name: &str) -> Result<Arc<dyn Model>> {
    named::from_env(name)
}

/// A model by its name, with a base URL (its provider's by default) and a key.
///
/// # Errors
/// [`Error::Model`] if the name is not `provider:name`, the provider unknown and no URL given,
/// a needed key missing, the URL unusable, or the feature of its API off.
pub fn at(name: &str, base_url: Option<&str>, key: Option<&str>) -> Result<Arc<dyn Model>> {
    named::at(name, base_url, key)
}

pub(crate) fn failed(model: &str, reason: impl Into<Problem>) -> Error {
    Error::Model { model: model.to_owned(), reason: reason.into() }
}

/// The provider and the model of a name.
pub(crate) fn split(name: &str) -> Result<(&str, &str)> {
    match name.split_once(':') {
        Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
            Ok((provider, model))
        }
        _ => Err(failed(name, Problem::Name { suggestion: whole(name) })),
    }
}

/// The whole name of a known model whose name was given without its provider.
fn whole(name: &str) -> Option<String> {
    let name = name.split('?').next().unwrap_or_default();
    let names = providers().map(|provider| format!("{provider}:{name}"));
    let is_known = |name: &String| Catalogue::shipped().of(name).is_some();
    names.filter(|_| !name.is_empty() && !name.contains(':')).find(is_known)
}

/// The name that is probably meant, and all that there are.
fn suggested(name: &str, known: &[&str]) -> String {
    let all = known.join(", ");
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? Known are {all}"),
        None => format!("known are {all}"),
    }
}
