//! A tool call in one line: what was called with what, how long, what came of it.

use std::time::Duration;

use legwork::agent::subagent;
use legwork::core::{ToolCall, ToolOutcome};
use serde_json::Value;

use super::diff;
use super::marks::Marks;
use super::terminal::Terminal;
use super::text::{clip_with, columns, count, one_line, time};

/// Columns that a time takes at most, with what is around it, if it is no long one.
const TIME: usize = 9;

/// Arguments that say by themselves what a call is about.
const TELLING: [&str; 6] = ["command", "pattern", "path", "file", "query", "url"];

/// The call in short: the tool and the argument that tells most.
pub(crate) fn call(call: &ToolCall) -> String {
    let argument = match spawned(call) {
        Some(argument) => one_line(&argument),
        None => one_line(&argument(&call.arguments)),
    };
    format!("{} {argument}", one_line(&call.name)).trim_end().to_owned()
}

/// Which agent a call spawns, and for what.
fn spawned(call: &ToolCall) -> Option<String> {
    if *call.name != *subagent::TOOL {
        return None;
    }
    let arguments: Value = call.parse().ok()?;
    let text = |name: &str| arguments.get(name)?.as_str();
    Some(format!("{}: {}", text("agent")?, text("prompt")?))
}

fn argument(arguments: &str) -> String {
    let Ok(Value::Object(object)) = serde_json::from_str(arguments) else {
        return arguments.to_owned();
    };
    let telling = TELLING.iter().find_map(|name| object.get(*name)?.as_str());
    match telling {
        Some(text) => text.to_owned(),
        None if object.is_empty() => String::new(),
        None => Value::Object(object).to_string(),
    }
}

/// What came of it in short: its last line, and how many there are.
pub(crate) fn result(of: &ToolCall, outcome: &ToolOutcome) -> String {
    let text = outcome.for_model();
    if let Some(summary) = diff::summary(of, &text).filter(|_| outcome.is_ok()) {
        return one_line(&summary);
    }
    let lines = text.lines().count() as u64;
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    match lines {
        0 | 1 => one_line(last),
        lines => format!("{}: {}", count(lines, "line"), one_line(last)),
    }
}

/// The mark before a call that was answered.
pub(crate) fn mark(outcome: &ToolOutcome, marks: Marks) -> &'static str {
    if outcome.is_ok() { marks.done } else { marks.failed }
}

/// The whole line, as wide as the terminal; the call gets more of it than the result.
pub(crate) fn line(
    of: &ToolCall,
    outcome: &ToolOutcome,
    took: Option<Duration>,
    terminal: Terminal,
) -> String {
    let marks = terminal.marks;
    let (mark, call, result) = (mark(outcome, marks), call(of), result(of, outcome));
    let took = took.map_or_else(String::new, |took| format!(" ({})", time(took)));
    // The mark with a space, and an arrow with two. A time counts as a long one, so that
    // lines are cut at the same place however long it took.
    let around = columns(mark) + 1 + columns(&took).max(TIME) + 2 + columns(marks.gives);
    let room = terminal.columns.saturating_sub(around);
    let for_result = columns(&result).min((room / 2).max(room.saturating_sub(columns(&call))));
    let call = clip_with(&call, room.saturating_sub(for_result), marks.more).into_owned();
    let result = clip_with(&result, for_result, marks.more);
    format!("{mark} {call}{took} {} {result}", marks.gives)
}

/// The name of an outcome, for programs.
pub(crate) fn name(outcome: &ToolOutcome) -> &'static str {
    match outcome {
        ToolOutcome::Ok(_) => "ok",
        ToolOutcome::Retry(_) => "retry",
        ToolOutcome::Failed(..) => "failed",
        ToolOutcome::Blocked { .. } => "blocked",
        ToolOutcome::Denied { .. } => "denied",
        ToolOutcome::Deferred(_) => "deferred",
        ToolOutcome::Interrupted => "interrupted",
        ToolOutcome::Skipped(_) => "skipped",
        ToolOutcome::Withdrawn => "withdrawn",
        _ => "other",
    }
}
