//! How calls that wait are listed.

use std::fmt::Write as _;

use legwork::agent::Waiting;
use legwork::agent::form::{Field, Form};
use legwork::capability::ask_user::Question;
use legwork::core::state::{Pending, PendingReason};
use legwork::core::{SessionId, ToolCall};
use serde_json::{Value, json};

use crate::approval::about;
use crate::display::Terminal;
use crate::display::text::{age, now, one_line, visible, wrapped};
use crate::display::{choices, tool};
use crate::shell::quoted;
use crate::short_id::of_call;

/// Columns before what is said of a call.
const INDENT: usize = 12;
/// Lines of an argument that are shown at most.
const LINES: usize = 20;

/// A call in short: its tool and the argument that tells most.
pub(super) fn call_of(pending: &Pending) -> String {
    tool::call(&ToolCall::new("", &*pending.tool, &*pending.arguments))
}

/// The calls of a session, each with its name, for people; empty if none waits.
pub(super) fn rows(id: &SessionId, waiting: &[Waiting], store: &str) -> String {
    let Some(first) = waiting.first() else { return String::new() };
    let columns = Terminal::detect().for_table();
    let mut text =
        format!("session {}, asked {}\n", visible(id.as_str()), age(first.pending.asked_at, now()));
    for one in waiting {
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
        let call = format!("  {}  {}", of_call(pending), call_of(pending));
        let _ = writeln!(text, "{}", wrapped(&call, columns, INDENT));
        let question = Question::of(pending);
        let details = if question.is_some() { Vec::new() } else { details(pending) };
        for line in details.into_iter().chain([why]) {
            let line = wrapped(&format!("{:INDENT$}{}", "", one_line(&line)), columns, INDENT);
            let _ = writeln!(text, "{line}");
        }
        let fields = Form::of(pending).map(|form| form.fields).unwrap_or_default();
        for line in question.iter().flat_map(choices).chain(fields.iter().flat_map(field)) {
            let line = wrapped(&format!("{:INDENT$}{}", "", one_line(&line)), columns, INDENT);
            let _ = writeln!(text, "{line}");
        }
    }
    text + &hint(id, waiting, store)
}

/// A field that a call asks for.
fn field(field: &Field) -> Vec<String> {
    let lines = about(field);
    let is_named = field.description.is_some();
    let name = (!is_named).then(|| format!("{}:", field.label()));
    name.into_iter().chain(lines).collect()
}

/// The arguments that the line of the call does not show: what is written, what an edit replaces.
fn details(pending: &Pending) -> Vec<String> {
    let Ok(Value::Object(arguments)) = serde_json::from_str(&pending.arguments) else {
        return Vec::new();
    };
    let Some(shown) = tool::telling(&arguments) else { return Vec::new() };
    let rest = arguments.iter().filter(|(name, _)| *name != shown);
    rest.flat_map(|(name, value)| argument(name, value)).collect()
}

fn argument(name: &str, value: &Value) -> Vec<String> {
    let edits = value.as_array().filter(|all| all.iter().all(|one| one["old"].is_string()));
    if let Some(edits) = edits.filter(|all| !all.is_empty()) {
        let lines = edits.iter().flat_map(|edit| {
            let of = |sign: char, text: &Value| {
                let lines = text.as_str().unwrap_or_default().lines();
                lines.map(|line| format!("{sign}{line}")).collect::<Vec<_>>()
            };
            of('-', &edit["old"]).into_iter().chain(of('+', &edit["new"]))
        });
        return clipped(lines.collect());
    }
    match value.as_str() {
        Some(text) if text.contains('\n') => {
            let lines = text.lines().map(|line| format!("| {line}"));
            std::iter::once(format!("{name}:")).chain(clipped(lines.collect())).collect()
        }
        Some(text) => vec![format!("{name}: {text}")],
        None => vec![format!("{name}: {value}")],
    }
}

/// The first lines, and how many there are beside them.
fn clipped(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(LINES);
    if more > 0 {
        lines.truncate(LINES);
        lines.push(format!("({more} more lines: --json shows all)"));
    }
    lines
}

/// How to answer what waits.
fn hint(id: &SessionId, waiting: &[Waiting], store: &str) -> String {
    let id = quoted(id.as_str()) + store;
    let name = match waiting {
        [only] => format!(" {}", of_call(&only.pending)),
        _ => " CALL".to_owned(),
    };
    let mut verbs = Vec::new();
    let has = |reason: &PendingReason| waiting.iter().any(|one| one.pending.reason == *reason);
    if has(&PendingReason::Approval) {
        verbs.push(format!("legwork approve {id}{name}"));
        verbs.push(format!("legwork deny {id}{name}"));
    }
    if has(&PendingReason::Doubt) {
        verbs.push(format!("legwork answer {id}{name} --tell"));
    }
    let result = |pending: &Pending| match Form::of(pending) {
        Some(form) if form.fields.len() != 1 => Some(quoted(&form.example())),
        _ if matches!(pending.reason, PendingReason::External | PendingReason::Input) => {
            Some("VALUE".to_owned())
        }
        _ => None,
    };
    if let Some(result) = waiting.iter().find_map(|one| result(&one.pending)) {
        verbs.push(format!("legwork answer {id}{name} --result {result}"));
    }
    verbs.iter().map(|verb| format!("{:INDENT$}{verb}\n", "")).collect()
}

/// A call as a line of JSON.
pub(super) fn line(root: &SessionId, one: &Waiting) -> String {
    let pending = &one.pending;
    let line = json!({"root": root, "session": one.session, "call": pending});
    format!("{line}\n")
}
