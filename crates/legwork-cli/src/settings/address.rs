//! Where a model is served: by present flags and settings, never by a journal (S13.9).

use legwork::core::SessionId;

use super::{is_local, provider, text, variable};
use crate::args;
use crate::config::{Config, Source, Sourced};
use crate::error::Error;
use crate::recorded::{BaseUrl, By, Recorded};
use crate::settings::flag;
use crate::shell::quoted;

const BASE_URL: &str = "OPENAI_BASE_URL";

/// Where a provider is served, by environment and files.
///
/// A known provider has a variable of its own, if any. `OPENAI_BASE_URL` and the file's
/// `base_url` are for `openai`, and for providers of which nothing else is known.
///
/// Where each account has an address of its own, it follows from the region or the project that
/// the environment names, if nothing else says it.
pub(crate) fn around(provider: &str, config: &Config) -> Result<Option<Sourced<String>>, Error> {
    Ok(named(provider, config)?.or_else(|| of_account(provider)))
}

/// The address that follows from the region or the project of an account.
fn of_account(provider: &str) -> Option<Sourced<String>> {
    let known = legwork::model::provider(provider)?;
    let url = known.place_from(variable).ok().flatten()?;
    Some(Sourced::new(url, Source::Environment(known.place.variable()?)))
}

/// Where a provider is served, as environment and files name it.
pub(crate) fn named(provider: &str, config: &Config) -> Result<Option<Sourced<String>>, Error> {
    let own = config.provider_url(provider);
    let known = legwork::model::provider(provider);
    if is_local(provider) || (own.is_some() && known.is_none()) {
        return Ok(own);
    }
    let variable = known.map_or(Some(BASE_URL), |known| known.base_url_variable);
    let environment = variable.map(text).transpose()?.flatten();
    let of_file = || match variable {
        Some(BASE_URL) => config.value(|values| &values.base_url),
        _ => None,
    };
    Ok(environment.or(own).or_else(of_file))
}

/// Where a provider is served now.
///
/// # Errors
/// When the session used another URL, and no present flag or setting names it.
pub(super) fn of(
    flags: &args::Agent,
    recorded: &Recorded,
    around: Option<Sourced<String>>,
) -> Result<Option<Sourced<String>>, Error> {
    if let Some(url) = flag(&flags.base_url, "--base-url") {
        return Ok(Some(url));
    }
    match (&recorded.base_url, around) {
        (Some(BaseUrl { url: Some(url), by: By::Flag }), around) => {
            let same = around.filter(|around| around.value == *url);
            same.map(Some).ok_or_else(|| not_taken(url))
        }
        // The environment may have changed since.
        (Some(BaseUrl { by: By::Environment, .. }), Some(around)) => Ok(Some(around)),
        (Some(BaseUrl { url: Some(url), .. }), None) => Err(not_taken(url)),
        (Some(BaseUrl { url: None, .. }), _) => Err(Error::usage(
            "the session's base URL is not known: it was not recorded, since it may hold a secret",
            "give it again with --base-url",
        )),
        (None, around) => Ok(around),
    }
}

fn not_taken(url: &str) -> Error {
    Error::usage(
        format!("the session's model was served at {url}, which no present setting names"),
        format!(
            "where tasks and keys go is not taken from a journal: give it again with --base-url \
             {}, or set OPENAI_BASE_URL",
            quoted(url)
        ),
    )
}

/// Refuses a session's model on a server of this machine that no present setting names: any
/// program may listen there.
///
/// # Errors
/// When the user has to name it.
pub(super) fn check_local(
    model: &Sourced<String>,
    session: &SessionId,
    base_url: Option<&Sourced<String>>,
    config: &Config,
) -> Result<(), Error> {
    let of = provider(&model.value);
    let by_journal = model.source == Source::Session;
    if !by_journal || base_url.is_some() || !is_local(of) || config.has_provider(of) {
        return Ok(());
    }
    let set = text("LEGWORK_MODEL")?.or_else(|| config.value(|values| &values.model));
    if set.is_some_and(|set| provider(&set.value) == of) {
        return Ok(());
    }
    let (name, id) = (&model.value, quoted(session.as_str()));
    Err(Error::usage(
        format!("the session's model is `{name}`, on a server that no present setting names"),
        format!(
            "where tasks go is not taken from a journal: give it again with --model {}, as in \
             `legwork resume {id} --model {}`, or keep it in LEGWORK_MODEL",
            quoted(name),
            quoted(name)
        ),
    ))
}
