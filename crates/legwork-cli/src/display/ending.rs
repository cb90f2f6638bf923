//! What is wrong with an answer that counts as one.

use legwork::core::ExecutionStatus;
use legwork::core::inference::FinishReason;
use legwork::port::event::ExecutionEnd;

/// What the person should know of the answer of a completed run; none if it is whole.
pub(super) fn warning(end: &ExecutionEnd) -> Option<&'static str> {
    if end.status != ExecutionStatus::Completed {
        return None;
    }
    match end.finish.as_ref()? {
        FinishReason::Length => Some("the answer is cut off: the model may not write more at once"),
        FinishReason::ContentFilter => Some("the answer is cut off by a filter of the server"),
        _ if end.text.trim().is_empty() => Some("the model ended without an answer"),
        _ => None,
    }
}
