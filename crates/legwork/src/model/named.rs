//! Models by name, over the APIs of their providers.

use std::sync::Arc;

use legwork_models::credentials::Credential;
use legwork_models::named::Error as NoOption;
use legwork_models::{Builder, Named, Provider, providers};
use legwork_port::Model;

use super::{Problem, failed, split};
use crate::error::Result;

/// The known providers.
pub fn known() -> impl Iterator<Item = &'static Provider> {
    providers::ALL.iter()
}

/// The known provider of a name.
pub fn provider(name: &str) -> Option<&'static Provider> {
    providers::find(name)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    known().map(|provider| provider.name)
}

pub(super) fn keys(name: &str) -> &'static [&'static str] {
    provider(name).map_or(&[], |provider| provider.keys)
}

pub(super) fn from_env(name: &str) -> Result<Arc<dyn Model>> {
    built(name, builder_from_env(name)?)
}

/// A builder of the model that [`from_env`](super::from_env) returns, with the key, the base URL
/// and the proxies from the environment filled in.
///
/// ```no_run
/// use std::time::Duration;
///
/// use legwork::model::{self, http::Timeouts};
///
/// let timeouts = Timeouts { first_byte: Duration::from_secs(20), ..Timeouts::default() };
/// let model = model::builder_from_env("anthropic:claude-sonnet-4-6")?.timeouts(timeouts).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What is set afterwards takes the place of what the environment says. Needs the feature of an
/// API.
///
/// # Errors
/// As [`from_env`](super::from_env), except for an unusable URL or proxy, which is an error of
/// building the model.
pub fn builder_from_env(name: &str) -> Result<Builder> {
    let Account { base_url, credential, .. } = account(name)?;
    let model = begun(name, base_url.as_deref())?;
    let model = match credential {
        Some(credential) => model.credential(credential),
        None => model,
    };
    #[cfg(feature = "bedrock")]
    let model = match region() {
        // A host of one's own does not name it.
        Some(region) => model.region(region),
        None => model,
    };
    #[cfg(feature = "proxy")]
    let model = model.proxies(proxies_from_env());
    Ok(model)
}

/// What the environment says of an account with a provider.
pub(crate) struct Account {
    pub(crate) base_url: Option<String>,
    pub(crate) credential: Option<Credential>,
}

/// A variable that is set to something.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(feature = "bedrock")]
fn region() -> Option<String> {
    ["AWS_REGION", "AWS_DEFAULT_REGION"].into_iter().find_map(variable)
}

/// What the environment says of the account of a model's provider.
///
/// # Errors
/// The variables that are missing. A server of one's own may be asked without a key.
pub(crate) fn account(name: &str) -> Result<Account> {
    let (of, _) = split(name)?;
    let Some(of) = provider(of) else { return Ok(Account { base_url: None, credential: None }) };
    let is_own = of.base_url_variable.and_then(variable).is_some();
    let (base_url, credential) = (of.base_url_from(variable), of.credential_from(variable));
    match (base_url, credential) {
        (Ok(base_url), Ok(credential)) => Ok(Account { base_url, credential }),
        (Ok(base_url), Err(_)) if is_own => Ok(Account { base_url, credential: None }),
        (Ok(_), Err(unset)) => Err(failed(name, Problem::Unset(unset))),
        (Err(unset), credential) => {
            let unset = unset.and(credential.err().unwrap_or_default());
            Err(failed(name, Problem::Unset(unset)))
        }
    }
}

pub(super) fn at(name: &str, base_url: Option<&str>, key: Option<&str>) -> Result<Arc<dyn Model>> {
    built(name, builder(name, base_url, key)?)
}

fn built(name: &str, builder: Builder) -> Result<Arc<dyn Model>> {
    let model = builder.build().map_err(|error| failed(name, error))?;
    Ok(Arc::new(model))
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
/// It has further settings, such as time limits. A provider that is not known is asked over Chat
/// Completions at `base_url`. It does not read the environment: [`builder_from_env`] does. Needs
/// the feature of an API.
///
/// # Errors
/// As [`at`](super::at), except for an unusable URL, which is an error of building the model.
pub fn builder(name: &str, base_url: Option<&str>, key: Option<&str>) -> Result<Builder> {
    let (of, _) = split(name)?;
    check_key(name, provider(of), base_url, key)?;
    let builder = begun(name, base_url)?;
    Ok(match (provider(of), key) {
        (Some(known), Some(key)) => builder.credential(known.credential(key)),
        (None, Some(key)) => builder.api_key(key),
        (_, None) => builder,
    })
}

/// A builder without a key.
fn begun(name: &str, base_url: Option<&str>) -> Result<Builder> {
    let named: Named = name.parse().map_err(|error: NoOption| failed(name, error))?;
    let (of, model) = split(&named.name)?;
    let builder = match (provider(of), base_url) {
        (Some(known), base_url) => {
            known.model(model, base_url).ok_or_else(|| failed(name, without_url(known)))?
        }
        (None, Some(url)) => usual(name, url, model)?.provider(of),
        (None, None) => return Err(failed(name, unknown(of))),
    };
    let is_local = provider(of).is_some_and(Provider::is_local);
    let builder = if is_local { builder.free() } else { builder };
    Ok(builder.settings(named.settings))
}

/// Refuses to ask a provider without the key that it needs.
pub(crate) fn check_key(
    name: &str,
    known: Option<&Provider>,
    base_url: Option<&str>,
    key: Option<&str>,
) -> Result<()> {
    let variables = known.map_or(&[][..], |known| known.keys);
    match (base_url, key, variables) {
        (None, None, [_, ..]) => Err(failed(name, Problem::Key { variables })),
        _ => Ok(()),
    }
}

/// A model of a server of which nothing but its URL is known.
#[cfg(feature = "openai")]
#[expect(clippy::unnecessary_wraps, reason = "as without the feature")]
fn usual(_: &str, url: &str, model: &str) -> Result<Builder> {
    Ok(legwork_models::openai::chat(url, model))
}

#[cfg(not(feature = "openai"))]
fn usual(name: &str, _: &str, _: &str) -> Result<Builder> {
    Err(failed(name, Problem::Feature("openai")))
}

pub(crate) fn without_url(provider: &Provider) -> Problem {
    Problem::BaseUrl { title: provider.title, variable: provider.base_url_variable }
}

/// The providers whose API is a feature that this program does not have.
const WITHOUT: &[(&str, &str)] = &[
    #[cfg(not(feature = "anthropic"))]
    ("anthropic", "anthropic"),
    #[cfg(not(feature = "bedrock"))]
    ("bedrock", "bedrock"),
    #[cfg(not(feature = "gemini"))]
    ("google", "gemini"),
    #[cfg(not(feature = "openai"))]
    ("openai", "openai"),
    #[cfg(not(feature = "responses"))]
    ("openai-responses", "responses"),
];

fn unknown(provider: &str) -> Problem {
    if let Some((_, feature)) = WITHOUT.iter().find(|(name, _)| *name == provider) {
        return Problem::Feature(feature);
    }
    Problem::Provider {
        provider: provider.to_owned(),
        known: names().collect(),
        api: "Chat Completions",
        function: "model::at",
    }
}
