//! What the model wrote, as the types of a tool, and the answer to it.

use std::fmt::Display;

use legwork_port::ToolContext;
use legwork_port::core::{ToolCall, ToolOutcome};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};

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
    let arguments = match cx.arguments(call) {
        Ok(arguments) => arguments,
        Err(outcome) => return outcome,
    };
    tokio::select! {
        // What has ended is returned, even if it was cancelled at that moment.
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
    whole.map(Some).ok_or_else(|| D::Error::custom(format!("{number} is not a whole number")))
}
