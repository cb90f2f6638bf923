//! Models by name: `provider:name`.

use std::sync::Arc;

use legwork_port::Model;

#[cfg(feature = "openai")]
pub use legwork_models::{
    Api, Builder, HttpModel, MaxTokensField, Quirks, UnknownApi, answer, http, openai, remote,
};
pub use legwork_models::{Bounds, Prices, bounds, prices, retry};

use crate::error::{Error, Result};

#[cfg_attr(not(feature = "openai"), path = "model/none.rs")]
mod chat;

#[cfg(feature = "openai")]
pub use chat::builder;
#[cfg(feature = "proxy")]
pub use chat::proxies_from_env;

/// A provider whose models speak Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provider {
    /// The part of a model's name before the colon.
    pub name: &'static str,
    /// The base URL that is used by default.
    pub base_url: &'static str,
    /// The environment variable of its key; none if it needs no key.
    pub key: Option<&'static str>,
}

const PROVIDERS: &[Provider] = &[
    Provider { name: "openai", base_url: "https://api.openai.com/v1", key: Some("OPENAI_API_KEY") },
    Provider { name: "ollama", base_url: "http://127.0.0.1:11434/v1", key: None },
    Provider { name: "llamacpp", base_url: "http://127.0.0.1:8080/v1", key: None },
    Provider { name: "lmstudio", base_url: "http://127.0.0.1:1234/v1", key: None },
    Provider { name: "vllm", base_url: "http://127.0.0.1:8000/v1", key: None },
];

/// The names of the known providers.
pub fn providers() -> impl Iterator<Item = &'static str> {
    known().map(|provider| provider.name)
}

/// The known providers.
pub fn known() -> impl Iterator<Item = &'static Provider> {
    PROVIDERS.iter()
}

/// The environment variable of a provider's key; none if it is unknown or needs no key.
pub fn key_variable(provider: &str) -> Option<&'static str> {
    PROVIDERS.iter().find(|known| known.name == provider)?.key
}

/// A model by its name, with the key and the base URL from the environment.
///
/// For `openai` these are `OPENAI_API_KEY` and `OPENAI_BASE_URL`; the key may be missing only if
/// the URL is set. Local servers (`ollama`, `llamacpp`, `lmstudio`, `vllm`) need no key and have
/// their usual URL. With the feature `proxy` (on by default) requests go through the proxies
/// that the environment names.
///
/// # Errors
/// [`Error::Model`] if the name is not `provider:name`, the provider unknown, the key missing,
/// the proxy unusable, or the feature `openai` off.
pub fn from_env(name: &str) -> Result<Arc<dyn Model>> {
    chat::from_env(name)
}

/// A model by its name, with a base URL (its provider's by default) and a key.
///
/// # Errors
/// [`Error::Model`] if the name is not `provider:name`, the provider unknown and no URL given,
/// a needed key missing, the URL unusable, or the feature `openai` off.
pub fn at(name: &str, base_url: Option<&str>, key: Option<&str>) -> Result<Arc<dyn Model>> {
    chat::at(name, base_url, key)
}

fn failed(model: &str, reason: impl ToString) -> Error {
    Error::Model { model: model.to_owned(), reason: reason.to_string() }
}

/// The provider and the model of a name.
fn split(name: &str) -> Result<(&str, &str)> {
    match name.split_once(':') {
        Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
            Ok((provider, model))
        }
        _ => Err(failed(name, "a model is named `provider:name`, such as `openai:gpt-5-mini`")),
    }
}
