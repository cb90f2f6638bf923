//! What to do about an error of an execution, in the words of the command.

use legwork::core::error::{ErrorKind, ErrorRecord, ErrorSource};

/// What to do about it; none where its message says all there is.
pub(crate) fn on(error: &ErrorRecord) -> Option<&'static str> {
    if error.source != ErrorSource::Model {
        return None;
    }
    let hint = match (error.status, &error.kind) {
        (Some(401 | 403), _) => {
            "set OPENAI_API_KEY, or [keys.PROVIDER] in legwork.toml, to a key that this server takes"
        }
        (Some(404), _) => "name a model that this server has with --model provider:name",
        (Some(429), _) if !error.retryable => {
            "raise the quota with the provider, or take another model with --model"
        }
        (Some(429), _) => "wait a while, or take another model with --model",
        (Some(500..), _) => "the server fails: try again later",
        (Some(_), _) => return None,
        (None, ErrorKind::Incomplete) => "the answer is not whole: ask again",
        (None, _) => "see whether the server runs, and whether --base-url is right",
    };
    Some(hint)
}
