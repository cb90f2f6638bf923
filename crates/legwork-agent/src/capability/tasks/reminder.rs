//! Reminds the model of tasks that it did not touch for a while.

use std::sync::Arc;

use legwork_core::{AgentState, Message};

use super::list::{Tasks, line};
use super::tool::TOOL;

/// How many open tasks a reminder names.
const SHOWN: usize = 5;

/// Adds a reminder to the request about to be sent, where one is due; the transcript stays
/// as it is.
pub(super) fn remind(state: AgentState, after: u32) -> AgentState {
    let Some(request) = state.current_request().cloned() else { return state };
    let list = Tasks::of(&state);
    if list.open().next().is_none() || !is_due(&state, &list, after) {
        return state;
    }
    let request = Arc::unwrap_or_clone(request).with_message(Message::user(text(&list)));
    state.with_current_request(Some(Arc::new(request)))
}

/// Whether the list was not touched for so many steps, or as many again. The first step of
/// another execution is reminded of what the last one left.
fn is_due(state: &AgentState, list: &Tasks, after: u32) -> bool {
    let next = state.execution().map_or(1, |execution| execution.next_number());
    let ended = next.saturating_sub(1);
    if list.execution != state.facts().executions {
        return ended.is_multiple_of(after);
    }
    let untouched = ended.saturating_sub(list.step);
    untouched > 0 && untouched.is_multiple_of(after)
}

fn text(list: &Tasks) -> String {
    let open: Vec<_> = list.open().collect();
    let mut lines: Vec<_> = open.iter().take(SHOWN).map(|task| line(task)).collect();
    if open.len() > SHOWN {
        lines.push(format!("and {} more", open.len() - SHOWN));
    }
    format!(
        "[A reminder by the program, not by the person] Open tasks:\n{}\nGo on with the work, and \
         keep the list with `{TOOL}`: what is done, what comes next, what is no longer wanted.",
        lines.join("\n")
    )
}
