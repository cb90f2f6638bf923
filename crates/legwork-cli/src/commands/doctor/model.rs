//! Whether the model that is set up answers.

use std::time::Duration;

use legwork::model::proxies_from_env;

use super::check::Check;
use crate::commands::models::ping;
use crate::display::advice::on_proxy;
use crate::error::Error;
use crate::model::has_access_keys;
use crate::settings::{Settings, is_local, provider};

/// So long it is waited for.
const PATIENCE: Duration = Duration::from_secs(20);
const NAME: &str = "model";

/// Where the model is served.
fn address(settings: &Settings) -> Option<&str> {
    let given = settings.base_url.as_ref().map(|url| url.value.as_str());
    let of = provider(&settings.model.value);
    given.or_else(|| legwork::model::provider(of)?.base_url)
}

/// The name of the model, where its key is, and whether it answers; the key is not shown.
pub(super) fn check(settings: &Settings, offline: bool) -> Result<Check, Error> {
    let model = &settings.model;
    let key = match &settings.key {
        Some(key) => format!("key from {}", key.from.source),
        None if is_local(provider(&model.value)) => "no key wanted".to_owned(),
        None if has_access_keys(provider(&model.value)) => {
            "access keys from the environment".into()
        }
        None => "no key".to_owned(),
    };
    let found = format!("{} ({}), {key}", model.value, model.source);
    let found = match proxies_from_env().proxy_of(address(settings).unwrap_or_default()) {
        Ok(None) => found,
        Ok(Some(proxy)) => format!("{found}, through the proxy {proxy}"),
        Err(error) => {
            let check = Check::bad(NAME, format!("{found}; {error}"));
            return Ok(check.with_hint(on_proxy(&error.variable)));
        }
    };
    let keyless = settings.key.is_none() && settings.base_url.is_none();
    if keyless && !is_local(provider(&model.value)) {
        let keys = legwork::model::key_variables(provider(&model.value));
        let variable = keys.first().unwrap_or(&"OPENAI_API_KEY");
        return Ok(Check::warning(NAME, found).with_hint(format!(
            "set {variable}, or name a model with --model or LEGWORK_MODEL; `legwork help \
             config` says how to keep both"
        )));
    }
    if offline {
        return Ok(Check::good(NAME, format!("{found}; not asked (--offline)")));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::System { doing: "starting", source })?;
    let answer = runtime.block_on(ping::answer(settings, PATIENCE));
    // A look-up of a name that hangs is not waited for.
    runtime.shutdown_background();
    Ok(match answer {
        Ok(pong) => {
            Check::good(NAME, format!("{found}; asked for a few tokens: {}", pong.summary()))
        }
        Err(error) => {
            let hint = error.hint().unwrap_or_else(|| "see `legwork models ping`".to_owned());
            Check::bad(NAME, format!("{found}; {error}")).with_hint(hint)
        }
    })
}
