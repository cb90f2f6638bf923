//! Models by name: `provider:name`.

use legwork_core::budget::{MicroUsd, Price};
use legwork_models::openai::Chat;
use legwork_port::Profile;

pub use legwork_models::{Bounds, Prices, bounds, http, openai, prices, retry};

use crate::error::{Error, Result};

/// A provider whose models speak Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provider {
    /// What stands before the colon in a model's name.
    pub name: &'static str,
    /// Where it serves, unless told.
    pub base_url: &'static str,
    /// The variable that holds its key; none if it wants no key.
    pub key: Option<&'static str>,
}

const PROVIDERS: &[Provider] = &[
    Provider { name: "openai", base_url: "https://api.openai.com/v1", key: Some("OPENAI_API_KEY") },
    Provider { name: "ollama", base_url: "http://127.0.0.1:11434/v1", key: None },
    Provider { name: "llamacpp", base_url: "http://127.0.0.1:8080/v1", key: None },
    Provider { name: "lmstudio", base_url: "http://127.0.0.1:1234/v1", key: None },
    Provider { name: "vllm", base_url: "http://127.0.0.1:8000/v1", key: None },
];

/// The names of the providers that are known.
pub fn providers() -> impl Iterator<Item = &'static str> {
    known().map(|provider| provider.name)
}

/// The providers that are known.
pub fn known() -> impl Iterator<Item = &'static Provider> {
    PROVIDERS.iter()
}

/// The variable that holds a provider's key; none if it is not known, or wants no key.
pub fn key_variable(provider: &str) -> Option<&'static str> {
    PROVIDERS.iter().find(|known| known.name == provider)?.key
}

/// A model by its name, its key and address from the environment.
///
/// The address of `openai` is that of `OPENAI_BASE_URL`, if it is set; its key is that of
/// `OPENAI_API_KEY`, which may be missing only where the address is another one than
/// OpenAI's own. Local servers (`ollama`, `llamacpp`, `lmstudio`, `vllm`) want no key and
/// have their usual address. With the feature `proxy` (on by default) requests go through the
/// proxies that the environment names.
///
/// # Errors
/// [`Error::Model`] when the name is none, the provider unknown, the key missing, or the proxy
/// none.
pub fn from_env(name: &str) -> Result<Chat> {
    let set = |variable| std::env::var(variable).ok().filter(|value| !value.is_empty());
    let base_url = name.starts_with("openai:").then(|| set("OPENAI_BASE_URL")).flatten();
    let key = provider(name).ok().and_then(|(provider, _)| provider.key).and_then(set);
    let chat = builder(name, base_url.as_deref(), key.as_deref())?;
    #[cfg(feature = "proxy")]
    let chat = chat.proxies(proxies_from_env());
    built(name, chat)
}

/// The proxies that the environment names; [`Proxies`](http::Proxies) says by which variables.
#[cfg(feature = "proxy")]
pub fn proxies_from_env() -> http::Proxies {
    // What is no text is no address either, which is reported by the variable's name.
    let set = |name: &str| Some(std::env::var_os(name)?.to_string_lossy().into_owned());
    http::Proxies::from_variables(set)
}

/// A model by its name, at an address (its provider's own by default) and with a key.
///
/// # Errors
/// [`Error::Model`] when the name is none, the provider unknown and no address given, the
/// key missing where it is needed, or the address none.
pub fn at(name: &str, base_url: Option<&str>, key: Option<&str>) -> Result<Chat> {
    built(name, builder(name, base_url, key)?)
}

fn built(name: &str, chat: openai::Builder) -> Result<Chat> {
    let fail =
        |error: openai::Error| Error::Model { model: name.to_owned(), reason: error.to_string() };
    chat.build().map_err(fail)
}

/// The same before it is built, for whoever sets more, such as time limits.
///
/// # Errors
/// As [`at`], but for an address that is none: building says that.
pub fn builder(
    name: &str,
    base_url: Option<&str>,
    key: Option<&str>,
) -> Result<legwork_models::openai::Builder> {
    let fail = |reason: String| Error::Model { model: name.to_owned(), reason };
    let (provider_name, model) = split(name).map_err(&fail)?;
    let known = provider(name).map(|(provider, _)| provider);
    let url = match (base_url, &known) {
        (Some(url), _) => url,
        (None, Ok(provider)) => provider.base_url,
        (None, Err(reason)) => return Err(fail(reason.clone())),
    };
    if let (None, None, Ok(Provider { key: Some(variable), .. })) = (base_url, key, &known) {
        return Err(fail(format!("it needs a key: set {variable}")));
    }
    let chat = Chat::builder(url, model).provider(provider_name);
    let chat = match &known {
        Ok(Provider { key: None, .. }) => chat.profile(local(model)),
        _ => chat,
    };
    Ok(match key {
        Some(key) => chat.api_key(key),
        None => chat,
    })
}

/// What a model can do on a server of one's own: there it costs nothing, so that a limit on
/// money can be kept.
fn local(model: &str) -> Profile {
    const NOTHING: MicroUsd = MicroUsd(0);
    let price =
        Price { input: NOTHING, cache_read: NOTHING, cache_write: NOTHING, output: NOTHING };
    Profile { price: Some(price), ..openai::profile::of(model) }
}

fn split(name: &str) -> Result<(&str, &str), String> {
    match name.split_once(':') {
        Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
            Ok((provider, model))
        }
        _ => Err("a model is named `provider:name`, such as `openai:gpt-5-mini`".to_owned()),
    }
}

fn provider(name: &str) -> Result<(&'static Provider, &str), String> {
    let (wanted, model) = split(name)?;
    let known = PROVIDERS.iter().find(|provider| provider.name == wanted);
    known.map(|provider| (provider, model)).ok_or_else(|| {
        let names: Vec<_> = providers().collect();
        format!(
            "the provider `{wanted}` is not known: known are {}; any other server that speaks \
             Chat Completions works with its base URL given",
            names.join(", ")
        )
    })
}
