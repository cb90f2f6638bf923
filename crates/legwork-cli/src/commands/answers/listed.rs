//! How calls that wait are listed.

use std::fmt::Write as _;

use legwork::agent::Waiting;
use legwork::capability::ask_user::Question;
use legwork::core::state::{Pending, PendingReason};
use legwork::core::{SessionId, ToolCall};
use serde_json::json;

use crate::display::Terminal;
use crate::display::text::{age, now, one_line, visible, wrapped};
use crate::display::{choices, tool};

/// A call in short: its tool and the argument that tells most.
pub(super) fn call_of(pending: &Pending) -> String {
    tool::call(&ToolCall::new("", &*pending.tool, &*pending.arguments))
}

/// The calls of a session, numbered, for people; empty if none waits.
pub(super) fn rows(id: &SessionId, waiting: &[Waiting], store: &str) -> String {
    let Some(first) = waiting.first() else { return String::new() };
    let columns = Terminal::detect().for_table();
    let mut text =
        format!("session {}, asked {}\n", visible(id.as_str()), age(first.pending.asked_at, now()));
    for (number, one) in (1..).zip(waiting) {
        let (pending, mut why) = (&one.pending, one.pending.reason.to_string());
        if let Some(explanation) = &pending.explanation {
            let _ = write!(why, ": {}", one_line(explanation));
        }
        if let Some(until) = pending.expires_at {
            let _ = write!(why, "; until {until}");
        }
        if one.session != *id {
            let _ = write!(why, "; in the subagent's session {}", visible(one.session.as_str()));
        }
        let call = wrapped(&format!("  {number:2}  {}", call_of(pending)), columns, 8);
        let why = wrapped(&format!("      {why}"), columns, 8);
        let _ = writeln!(text, "{call}\n{why}");
        for line in Question::of(pending).iter().flat_map(choices) {
            let line = wrapped(&format!("      {}", one_line(&line)), columns, 8);
            let _ = writeln!(text, "{line}");
        }
    }
    text + &hint(id, waiting, store)
}

/// How to answer what waits.
fn hint(id: &SessionId, waiting: &[Waiting], store: &str) -> String {
    let id = crate::shell::quoted(id.as_str()) + store;
    let number = if waiting.len() == 1 { "" } else { " N" };
    let mut verbs = Vec::new();
    let has = |reason: &PendingReason| waiting.iter().any(|one| one.pending.reason == *reason);
    if has(&PendingReason::Approval) {
        verbs.push(format!("legwork approve {id}{number}"));
        verbs.push(format!("legwork deny {id}{number}"));
    }
    if has(&PendingReason::Doubt) {
        verbs.push(format!("legwork answer {id}{number} --tell"));
    }
    if has(&PendingReason::External) {
        verbs.push(format!("legwork answer {id}{number} --result VALUE"));
    }
    verbs.iter().map(|verb| format!("      {verb}\n")).collect()
}

/// A call as a line of JSON.
pub(super) fn line(root: &SessionId, one: &Waiting) -> String {
    let pending = &one.pending;
    let line = json!({"root": root, "session": one.session, "call": pending});
    format!("{line}\n")
}
