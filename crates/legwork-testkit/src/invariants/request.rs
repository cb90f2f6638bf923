//! Requests that a provider takes.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::{CallId, Message, ModelRequest, Part, Role};

use super::{Checked, broken, hold};

const CHECK: &str = "a model request is well formed (S9.1, S11.1)";

/// Whether a provider would take a request: it holds a message; each call has its one
/// result, behind it and in call order, and each result its call; no tool is shown twice;
/// and the answer may have a token at least.
///
/// # Errors
/// The first thing that is wrong, with its message.
pub fn well_formed(request: &ModelRequest) -> Checked {
    hold!(CHECK, !request.messages().is_empty(), "the request holds no message");
    let open = paired(CHECK, request.messages().iter())?;
    hold!(CHECK, open == 0, "{open} calls of the last turn have no result");
    hold!(CHECK, request.max_output != Some(0), "the answer may have no token");
    let mut names = BTreeSet::new();
    for spec in request.tools.iter() {
        hold!(CHECK, names.insert(&spec.name), "the tool `{}` is shown twice", spec.name);
    }
    Ok(())
}

/// Holds calls and results of a conversation against each other, and gives how many calls
/// of its last turn are open.
pub(super) fn paired<'m>(
    check: &'static str,
    messages: impl Iterator<Item = &'m Arc<Message>>,
) -> Result<usize, crate::conformance::Violation> {
    let mut due: Vec<&CallId> = Vec::new();
    for (at, message) in messages.enumerate() {
        let results: Vec<_> = message.parts.iter().filter_map(answered).collect();
        let calls: Vec<_> = message.tool_calls().map(|call| &call.id).collect();
        if !calls.is_empty() || (results.is_empty() && !due.is_empty()) {
            hold!(check, due.is_empty(), "message {at} is before the results of {due:?}");
            hold!(check, results.is_empty(), "message {at} holds calls and results");
            hold!(check, message.role == Role::Assistant, "message {at} calls as {}", message.role);
        }
        hold!(
            check,
            results.is_empty() || message.role != Role::Assistant,
            "a model answers calls"
        );
        if !due.starts_with(&results) {
            return broken(check, format!("message {at} answers {results:?}, due are {due:?}"));
        }
        due.drain(..results.len());
        due.extend(calls);
    }
    Ok(due.len())
}

fn answered(part: &Part) -> Option<&CallId> {
    match part {
        Part::ToolResult(result) => Some(&result.call),
        _ => None,
    }
}
