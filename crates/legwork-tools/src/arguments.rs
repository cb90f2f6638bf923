//! What the model wrote, as the types of a tool.

use legwork_port::core::tool::FailureKind;
use legwork_port::core::{ToolCall, ToolOutcome};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};

/// The arguments of a call; what the model is told when they do not fit.
pub(crate) fn parse<T: DeserializeOwned>(call: &ToolCall) -> Result<T, ToolOutcome> {
    call.parse().and_then(serde_json::from_value).map_err(|error| {
        let message = format!("the arguments of {} do not fit: {error}", call.name);
        ToolOutcome::Failed(FailureKind::InvalidArguments, message)
    })
}

/// A whole number; JSON Schema counts `3.0` as one, and models write it.
pub(crate) fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(from)? else {
        return Ok(None);
    };
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && (0.0..1e15).contains(float));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let whole = number.as_u64().or(float.map(|float| float as u64));
    whole.map(Some).ok_or_else(|| D::Error::custom(format!("{number} is no whole number")))
}
