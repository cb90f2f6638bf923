//! Models by name, over the Chat Completions API.

use std::sync::Arc;

use legwork_core::budget::{MicroUsd, Price};
use legwork_models::Builder;
use legwork_models::openai::{self, profile};
use legwork_port::{Model, Profile};

use super::{PROVIDERS, Provider, failed, providers, split};
use crate::error::Result;

pub(super) fn from_env(name: &str) -> Result<Arc<dyn Model>> {
    let set = |variable| std::env::var(variable).ok().filter(|value| !value.is_empty());
    let base_url = name.starts_with("openai:").then(|| set("OPENAI_BASE_URL")).flatten();
    let key =
        split(name).ok().and_then(|(provider, _)| super::key_variable(provider)).and_then(set);
    let chat = builder(name, base_url.as_deref(), key.as_deref())?;
    #[cfg(feature = "proxy")]
    let chat = chat.proxies(proxies_from_env());
    built(name, chat)
}

pub(super) fn at(name: &str, base_url: Option<&str>, key: Option<&str>) -> Result<Arc<dyn Model>> {
    built(name, builder(name, base_url, key)?)
}

fn built(name: &str, chat: Builder) -> Result<Arc<dyn Model>> {
    let chat = chat.build().map_err(|error| failed(name, error))?;
    Ok(Arc::new(chat))
}

/// The proxies that the environment names.
///
/// See [`Proxies`](super::http::Proxies) for the variables. Needs the feature `proxy`.
#[cfg(feature = "proxy")]
pub fn proxies_from_env() -> super::http::Proxies {
    // A value that is not valid text is an invalid URL too, which is reported with its variable.
    let set = |name: &str| Some(std::env::var_os(name)?.to_string_lossy().into_owned());
    super::http::Proxies::from_variables(set)
}

/// A builder of the model that [`at`](super::at) returns.
///
/// It has further settings, such as time limits. Needs the feature `openai`.
///
/// # Errors
/// As [`at`](super::at), except for an unusable URL, which is an error of building the model.
pub fn builder(name: &str, base_url: Option<&str>, key: Option<&str>) -> Result<Builder> {
    let (provider, model) = split(name)?;
    let known = PROVIDERS.iter().find(|known| known.name == provider);
    let url = match (base_url, known) {
        (Some(url), _) => url,
        (None, Some(known)) => known.base_url,
        (None, None) => return Err(failed(name, unknown(provider))),
    };
    if let (None, None, Some(Provider { key: Some(variable), .. })) = (base_url, key, known) {
        return Err(failed(name, format!("it needs a key: set {variable}")));
    }
    let chat = openai::chat(url, model).provider(provider);
    let chat = match known {
        Some(Provider { key: None, .. }) => chat.profile(local(model)),
        _ => chat,
    };
    Ok(match key {
        Some(key) => chat.api_key(key),
        None => chat,
    })
}

fn unknown(provider: &str) -> String {
    let names: Vec<_> = providers().collect();
    format!(
        "the provider `{provider}` is not known: known are {}; for any other server that speaks \
         Chat Completions give its base URL with `model::at`",
        names.join(", ")
    )
}

/// The profile of a model on a local server: its price is zero, so that a limit on money works.
fn local(model: &str) -> Profile {
    const NOTHING: MicroUsd = MicroUsd(0);
    let price =
        Price { input: NOTHING, cache_read: NOTHING, cache_write: NOTHING, output: NOTHING };
    Profile { price: Some(price), ..profile::of(model) }
}
