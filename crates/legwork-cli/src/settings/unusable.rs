//! Models that cannot be used, found before anything is made.

use legwork::core::nearest::nearest;

use super::DEFAULT_MODEL;
use crate::config::{Config, Source, Sourced};
use crate::error::Error;
use crate::shell::quoted;

/// Refuses a provider whose name looks like a typing error, unless its address was given.
///
/// # Errors
/// The known provider that is meant.
pub(super) fn check_provider(
    provider: &str,
    base_url: Option<&Sourced<String>>,
    config: &Config,
) -> Result<(), Error> {
    let by_person = |url: &Sourced<String>| matches!(url.source, Source::Flag(_));
    let has_address = base_url.is_some_and(by_person) || config.provider_url(provider).is_some();
    match nearest(provider, legwork::model::providers()) {
        Some(meant) if meant != provider && !has_address => Err(Error::usage(
            format!("the provider `{provider}` is not known: did you mean `{meant}`?"),
            format!(
                "name a known provider with --model, or give the address of `{provider}` with \
                 --base-url or in [providers.{provider}]"
            ),
        )),
        _ => Ok(()),
    }
}

/// There is no key for the default model, and no other model is named.
pub(super) fn no_model(base_url: Option<&Sourced<String>>) -> Error {
    if let Some(Sourced { value, source }) = base_url {
        return Error::usage(
            format!("{source} names a server, and nothing says which of its models to use"),
            format!(
                "with a base URL also give --model openai:NAME; `legwork models list openai \
                 --base-url {}` lists them",
                quoted(value)
            ),
        );
    }
    Error::usage(
        "no model is set up",
        format!(
            "set OPENAI_API_KEY to work with {DEFAULT_MODEL}, or name another model with --model \
             or LEGWORK_MODEL, such as ollama:qwen3; `legwork help config` says how to keep it"
        ),
    )
}
