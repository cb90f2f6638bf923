//! Models as the command asks them.

use legwork::model::{self, Catalogue, retry::Policy};
use legwork::model::{HttpModel, remote};

use crate::config::{Answers, Secret};
use crate::display::advice;
use crate::display::text::visible;
use crate::error::Error;

/// How a model is asked, whichever it is.
#[derive(Debug, Clone)]
pub(crate) struct Asking {
    pub(crate) retry: Policy,
    pub(crate) catalogue: Catalogue,
    pub(crate) answers: Answers,
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

/// A model by its name, at an address (its provider's own by default) and with a key, whose
/// failed requests are repeated.
///
/// # Errors
/// As [`model::at`], and if the variable of its proxy names none.
pub(crate) fn made(
    name: &str,
    base_url: Option<&str>,
    key: Option<&Secret>,
    asking: Asking,
) -> Result<HttpModel, Error> {
    let builder = model::builder(name, base_url, key.map(Secret::expose))?;
    let Asking { retry, catalogue, answers: Answers { bounds, timeouts } } = asking;
    let builder = builder.retry(retry).catalogue(catalogue).bounds(bounds).timeouts(timeouts);
    let built = builder.proxies(model::proxies_from_env()).build();
    built.map_err(|error| {
        let unusable = legwork::Error::Model { model: name.to_owned(), reason: error.to_string() };
        match error {
            remote::Error::Proxy(proxy) => {
                Error::usage(unusable.to_string(), advice::on_proxy(&proxy.variable))
            }
            _ => unusable.into(),
        }
    })
}
