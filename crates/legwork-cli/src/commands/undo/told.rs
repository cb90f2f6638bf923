//! What people are told of an undo, in lines.

use legwork::agent::undo::{UndoPlan, Undone};

use crate::display::text::{count, visible};
use crate::display::tool;

/// Calls of which something stays that are named each.
const NAMED: usize = 10;

const NOTHING: &str = "nothing to take back: what the session changed is as it was before";

/// What is said of a call whose tool has no undo.
pub(super) const NO_UNDO: &str = "its tool has no undo";

/// What stays whatever is done.
pub(crate) fn stays(plan: &UndoPlan) -> Vec<String> {
    let line = |(call, stays): (&legwork::core::undo::PastCall, Option<&str>)| {
        let stays = stays.unwrap_or(NO_UNDO);
        format!("note: it is not taken back: {}: {stays}", tool::call(&call.call))
    };
    let mut lines: Vec<_> = plan.left().take(NAMED).map(line).collect();
    let more = plan.left().count().saturating_sub(NAMED);
    if more > 0 {
        lines.push(format!("note: nor are {} like these", count(more as u64, "older call")));
    }
    lines
}

/// What cannot be taken back.
pub(crate) fn refused(plan: &UndoPlan) -> Vec<String> {
    let refused = plan.refused().map(|(call, why)| {
        format!("cannot take back {}: {}", tool::call(&call.call), visible(&why.to_string()))
    });
    refused.collect()
}

/// What would be done.
pub(super) fn would(plan: &UndoPlan) -> Vec<String> {
    let mut lines: Vec<_> = plan
        .undoes()
        .map(|(call, words)| format!("{}: would {}", tool::call(&call.call), visible(words)))
        .collect();
    match lines.len() as u64 {
        0 if plan.refused().next().is_some() => {}
        0 => lines.push(NOTHING.to_owned()),
        calls => {
            let calls = count(calls, "call");
            lines.push(format!("{calls} would be taken back; nothing was changed"));
        }
    }
    lines
}

/// What was done.
pub(crate) fn done(undone: &Undone) -> Vec<String> {
    let line = |undone: &legwork::agent::undo::UndoneCall| {
        format!("{}: {}", tool::call(&undone.call.call), visible(&undone.did))
    };
    let mut lines: Vec<_> = undone.calls.iter().map(line).collect();
    lines.push(match lines.len() as u64 {
        0 => NOTHING.to_owned(),
        calls => format!("{} taken back", count(calls, "call")),
    });
    lines
}

/// Where it stopped, if it did.
pub(crate) fn stopped(undone: &Undone) -> Option<String> {
    let (call, why) = undone.stopped.as_ref()?;
    let (call, why) = (tool::call(&call.call), why.to_string());
    let why = visible(&why);
    Some(format!("stopped at {call}: {why}; it stands, and so does what was done before it"))
}
