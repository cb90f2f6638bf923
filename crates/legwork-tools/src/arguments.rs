//! What the model wrote, as the types of a tool, and the answer to it.

use std::fmt::Display;

use legwork_port::ToolContext;
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

/// Answers a call that changes nothing: with what comes of its arguments, or as interrupted
/// when it is cancelled before.
pub(crate) async fn answered<A, E, F>(
    call: &ToolCall,
    cx: &ToolContext,
    work: impl FnOnce(A) -> F,
) -> ToolOutcome
where
    A: DeserializeOwned,
    E: Display,
    F: Future<Output = Result<String, E>>,
{
    let arguments = match parse(call) {
        Ok(arguments) => arguments,
        Err(outcome) => return outcome,
    };
    tokio::select! {
        // What has ended is told, also when it was cancelled just then.
        biased;
        done = work(arguments) => match done {
            Ok(text) => ToolOutcome::text(text),
            Err(error) => ToolOutcome::failed(error.to_string()),
        },
        () = cx.cancellation.cancelled() => ToolOutcome::Interrupted,
    }
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
