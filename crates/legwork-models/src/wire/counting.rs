//! How a provider counts the tokens of a request.

use serde_json::{Map, Value};

/// How a provider counts the tokens of a request: it is sent as for an answer, but elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Counting {
    /// Where, behind the base URL, for a model of this name.
    pub(crate) endpoint: fn(&str) -> String,
    /// The body that is sent, made of that of a request for an answer.
    pub(crate) body: fn(Counted<'_>) -> Value,
    /// Where the answer has the number, as a JSON pointer.
    pub(crate) number: &'static str,
}

/// A request for an answer whose tokens are counted.
pub(crate) struct Counted<'a> {
    /// The provider, as in `provider:model`.
    pub(crate) provider: &'a str,
    /// The model's name at its provider.
    pub(crate) model: &'a str,
    /// The body of the request.
    pub(crate) body: Map<String, Value>,
}

/// The fields of a body that are counted; an API refuses others.
pub(crate) fn only(body: Map<String, Value>, fields: &[&str]) -> Map<String, Value> {
    body.into_iter().filter(|(name, _)| fields.contains(&name.as_str())).collect()
}
