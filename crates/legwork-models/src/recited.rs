//! A response that is there already, passed on as a stream.

use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_core::inference::Incomplete;
use legwork_core::{Part, Response};
use legwork_port::model::{Delta, Deltas};

/// Passes a response to the receiver as deltas, a part in one piece.
///
/// If the receiver breaks, the response holds the parts up to then, and is marked incomplete.
pub(crate) fn recited(response: Response, deltas: Option<&mut dyn Deltas>) -> Response {
    let Some(deltas) = deltas.filter(|deltas| deltas.streams()) else { return response };
    let (mut calls, parts) = (0, &response.message.parts);
    let broke = parts.iter().position(|part| pass(part, &mut calls, deltas).is_break());
    let Some(at) = broke else { return response };
    let parts = parts.iter().take(at + 1).cloned().collect();
    let message = Arc::unwrap_or_clone(response.message).with_parts(parts);
    let (message, incomplete) = (Arc::new(message), Some(Incomplete::OverReserve));
    Response { message, incomplete, ..response }
}

/// Passes one part on; `calls` counts those that were passed.
pub(crate) fn pass(part: &Part, calls: &mut usize, deltas: &mut dyn Deltas) -> ControlFlow<()> {
    match part {
        Part::Text(text) => deltas.delta(Delta::Text(&text.text)),
        Part::Thinking(thinking) => deltas.delta(Delta::Thinking(&thinking.text)),
        Part::ToolCall(call) => {
            let index = *calls;
            *calls += 1;
            deltas.delta(Delta::ToolCall { index, name: &call.name })?;
            deltas.delta(Delta::Arguments { index, json: &call.arguments })
        }
        _ => ControlFlow::Continue(()),
    }
}
