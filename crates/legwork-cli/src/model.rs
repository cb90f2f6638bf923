//! Models as the command asks them.

use legwork::core::{ModelRequest, Response};
use legwork::model::{self, Builder, Catalogue, HttpModel, Problem, remote, retry::Policy};
use legwork::port::model::{Deltas, Kind, Profile};
use legwork::port::{self, BoxFuture, Model};

use crate::config::{Answers, Fetched};
use crate::display::advice;
use crate::display::text::visible;
use crate::error::Error;
use crate::settings::{provider, variable};
use crate::shell::quoted;
use crate::traffic::Traffic;

/// How a model is asked, whichever it is.
#[derive(Debug, Clone)]
pub(crate) struct ModelOptions {
    pub(crate) retry: Policy,
    pub(crate) catalogue: Catalogue,
    pub(crate) answers: Answers,
    pub(crate) traffic: Option<Traffic>,
}

/// A warning about where a model's key is sent, if one is due.
pub(crate) fn exposure(model: &HttpModel) -> Option<String> {
    let host = visible(model.exposes_key()?).into_owned();
    Some(format!(
        "the key of {} goes to {host} over plain HTTP, where others on the way can read it: use \
         https, or a tunnel to this machine",
        visible(legwork::port::Model::name(model))
    ))
}

/// A builder of a model, at an address (its provider's own by default) and with a key.
///
/// # Errors
/// As [`model::builder`], in the words of the command.
pub(crate) fn builder(
    name: &str,
    base_url: Option<&str>,
    key: Option<&Fetched>,
) -> Result<Builder, Error> {
    let builder = model::builder(name, base_url, key.map(Fetched::expose));
    let builder = builder.map_err(|error| in_own_words(of_account(name, error)))?;
    let known = model::provider(provider(name));
    if let Some(key) = key {
        return Ok(key.renewed(builder, known));
    }
    let Some(known) = known else { return Ok(builder) };
    // Access keys of a cloud are several variables, and no key.
    let place = known.place_from(variable).ok().flatten();
    match known.credential_from(variable) {
        Ok(Some(credential)) => Ok(builder.credential(credential)),
        Err(unset) if place.is_some() && place.as_deref() == base_url => {
            Err(in_own_words(unusable(name, Problem::Unset(unset))))
        }
        _ => Ok(builder),
    }
}

/// Whether the environment has access keys of a cloud, which are several variables and no key.
pub(crate) fn has_access_keys(provider: &str) -> bool {
    let known = model::provider(provider);
    known.is_some_and(|known| matches!(known.credential_from(variable), Ok(Some(_))))
}

/// The variables that say where an account is, if that is what is missing.
fn of_account(name: &str, error: legwork::Error) -> legwork::Error {
    let is_about = |error: &legwork::Error| {
        let legwork::Error::Model { reason, .. } = error else { return false };
        matches!(reason, Problem::BaseUrl { .. } | Problem::Key { .. })
    };
    let known = model::provider(provider(name)).filter(|_| is_about(&error));
    match known.map(|known| (known.place_from(variable), known.credential_from(variable))) {
        Some((Err(unset), credential)) => {
            let unset = unset.and(credential.err().unwrap_or_default());
            unusable(name, Problem::Unset(unset))
        }
        _ => error,
    }
}

fn unusable(name: &str, reason: Problem) -> legwork::Error {
    legwork::Error::Model { model: name.to_owned(), reason }
}

/// A model by its name, at an address (its provider's own by default) and with a key, whose
/// failed requests are repeated.
///
/// # Errors
/// As [`builder`], and if the variable of its proxy names none.
pub(crate) fn made(
    name: &str,
    base_url: Option<&str>,
    key: Option<&Fetched>,
    options: ModelOptions,
) -> Result<HttpModel, Error> {
    let builder = builder(name, base_url, key)?;
    let ModelOptions { retry, catalogue, answers, traffic } = options;
    let Answers { bounds, timeouts } = answers;
    let builder = builder.retry(retry).catalogue(catalogue).bounds(bounds).timeouts(timeouts);
    let builder = match traffic {
        Some(file) => builder.traffic(move |traffic| file.write(traffic)),
        None => builder,
    };
    let built = builder.proxies(model::proxies_from_env()).build();
    built.map_err(|error| {
        let advice = match &error {
            remote::Error::Proxy(proxy) => Some(advice::on_proxy(&proxy.variable)),
            _ => None,
        };
        let unusable = unusable(name, error.into());
        match advice {
            Some(advice) => Error::usage(unusable.to_string(), advice),
            None => unusable.into(),
        }
    })
}

/// An error about the name of a model, with what to type in place of what to call.
pub(crate) fn in_own_words(error: legwork::Error) -> Error {
    let legwork::Error::Model { model, reason } = &error else { return error.into() };
    let cannot = format!("the model `{}` cannot be used", visible(model));
    match reason {
        Problem::Name { suggestion } => without_provider(model, suggestion.as_deref()),
        Problem::Provider { provider, known, .. } => Error::usage(
            format!("{cannot}: the provider `{}` is not known", visible(provider)),
            format!(
                "known are {}; for any other server that speaks Chat Completions give --base-url",
                known.join(", ")
            ),
        ),
        Problem::Key { variables, .. } => Error::usage(
            format!("{cannot}: it needs a key: set {}", variables.join(" or ")),
            "or name another model with --model; `legwork help config` says where else a key may be",
        ),
        Problem::Option(option) => {
            Error::usage(format!("{cannot}: {option}"), "`legwork help config` shows the options")
        }
        Problem::Unset(unset) => Error::usage(
            format!("{cannot}: the environment says too little of its account"),
            format!("set {unset}; `legwork help config` says where else a key may be"),
        ),
        Problem::BaseUrl { variable, .. } => Error::usage(
            format!("{cannot}: each account of its provider has a base URL of its own"),
            match variable {
                Some(variable) => format!("give it with --base-url, or set {variable}"),
                None => "give it with --base-url".to_owned(),
            },
        ),
        _ => error.into(),
    }
}

/// The error for a model that is named without its provider, and what may be meant.
pub(crate) fn without_provider(model: &str, meant: Option<&str>) -> Error {
    let cannot = format!("the model `{}` cannot be used", visible(model));
    match meant {
        Some(meant) => Error::usage(
            format!("{cannot}: its provider is missing"),
            format!("did you mean --model {}? `legwork models list` shows more", quoted(meant)),
        ),
        None => Error::usage(
            format!("{cannot}: a model is named PROVIDER:NAME"),
            "name one with --model, such as openai:gpt-5-mini or ollama:qwen3; `legwork models list` shows which \
             there are",
        ),
    }
}

/// A model that cannot be used; it says why when it is asked.
pub(crate) struct Unusable {
    name: String,
    why: String,
    profile: Profile,
}

impl Unusable {
    pub(crate) fn new(name: &str, why: String) -> Self {
        Self { name: name.to_owned(), why, profile: Profile::new() }
    }
}

impl Model for Unusable {
    fn name(&self) -> &str {
        &self.name
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn infer<'a>(
        &'a self,
        _: ModelRequest,
        _: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, port::model::Error>> {
        let error = port::model::Error::new(Kind::Unauthorized, self.why.clone());
        Box::pin(async { Err(error) })
    }
}
