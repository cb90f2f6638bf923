//! Models as the command asks them.

use legwork::model::{self, Prices, openai::Chat, retry::Policy};

use crate::config::Secret;

/// A model by its name, at an address (its provider's own by default) and with a key, whose
/// failed requests are repeated.
///
/// # Errors
/// As [`model::at`].
pub(crate) fn made(
    name: &str,
    base_url: Option<&str>,
    key: Option<&Secret>,
    retry: Policy,
    prices: Prices,
) -> Result<Chat, legwork::Error> {
    let builder = model::builder(name, base_url, key.map(Secret::expose))?;
    let built = builder.retry(retry).prices(prices).build();
    built.map_err(|error| legwork::Error::Model {
        model: name.to_owned(),
        reason: error.to_string(),
    })
}
