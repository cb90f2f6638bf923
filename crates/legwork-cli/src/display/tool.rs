//! A tool call in one line: what was called with what, how long, what came of it.

use std::time::Duration;

use legwork::agent::subagent;
use legwork::core::tool::Metadata;
use legwork::core::{Micros, ToolCall, ToolOutcome};
use legwork::port::EventKind;
use legwork::tools::bash::Ending;
use serde_json::{Map, Value};

use super::diff;
use super::marks::Marks;
use super::terminal::{Terminal, Tone};
use super::text::{clip_with, columns, count, one_line, time, visible};

/// Columns that a time takes at most, with what is around it, if it is no long one.
const TIME: usize = 9;
/// Columns before a line that a command printed.
const INDENT: usize = 2;

/// Arguments that say by themselves what a call is about.
const TELLING: [&str; 7] = ["command", "pattern", "path", "file", "query", "url", "question"];

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
    match telling(&object).and_then(|name| object.get(name)?.as_str()) {
        Some(text) => text.to_owned(),
        None if object.is_empty() => String::new(),
        None => Value::Object(object).to_string(),
    }
}

/// The name of the argument that says by itself what a call is about.
pub(crate) fn telling(arguments: &Map<String, Value>) -> Option<&'static str> {
    let is_text = |name: &&&str| arguments.get(**name).is_some_and(Value::is_string);
    TELLING.iter().find(is_text).copied()
}

/// A call that was answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finished<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) outcome: &'a ToolOutcome,
    /// What the call left for people and programs.
    pub(crate) metadata: &'a Metadata,
    /// How long it ran; none if it did not run.
    pub(crate) took: Option<Duration>,
}

impl<'a> Finished<'a> {
    /// What an event says of a call that was answered; none if it is about something else.
    pub(crate) fn of(kind: &'a EventKind) -> Option<Self> {
        let EventKind::ToolFinished { call, outcome, took, metadata, .. } = kind else {
            return None;
        };
        let took = (*took > Micros::ZERO).then(|| Duration::from(*took));
        Some(Self { call, outcome, metadata, took })
    }

    /// How the command ended, if the call ran one.
    pub(crate) fn ending(&self) -> Option<Ending> {
        Ending::of(self.metadata)
    }

    /// Whether it succeeded: a command that exits with 1 did not, though the model reads
    /// what it printed as for any other.
    pub(crate) fn is_success(&self) -> bool {
        self.outcome.is_ok() && self.ending().is_none_or(Ending::is_success)
    }

    /// How the command failed, if it did.
    fn failure(&self) -> Option<String> {
        match self.ending().filter(|ending| !ending.is_success())? {
            Ending::Exited(code) => Some(format!("exit code {code}")),
            Ending::Signalled(signal) => Some(format!("killed by signal {signal}")),
            _ => None,
        }
    }

    /// What came of it in short: how a command failed, else the last line, and how many
    /// there are.
    pub(crate) fn result(&self) -> String {
        if let Some(failure) = self.failure() {
            return failure;
        }
        let text = self.outcome.to_text();
        if let Some(summary) = diff::summary(self.call, &text).filter(|_| self.outcome.is_ok()) {
            return one_line(&summary);
        }
        let lines = text.lines().count() as u64;
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        match lines {
            0 | 1 => one_line(last),
            lines => format!("{}: {}", count(lines, "line"), one_line(last)),
        }
    }

    /// What the tool gave the model, line by line; how a command failed, which its result
    /// says, is left out.
    pub(crate) fn output(&self) -> Vec<String> {
        let text = self.outcome.to_text();
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        if let Some(failure) = self.failure() {
            let says = |line: &String| line.starts_with('[') && line.contains(&failure);
            let end = lines.iter().rposition(says);
            lines.truncate(end.unwrap_or(lines.len()));
        }
        lines
    }

    /// The last lines that a failed command printed, as wide as the terminal and set in;
    /// empty for all other calls.
    pub(crate) fn last_lines(&self, most: usize, terminal: Terminal) -> Vec<String> {
        if self.failure().is_none() {
            return Vec::new();
        }
        let (lines, marks) = (self.output(), terminal.marks);
        let printed: Vec<_> = lines.iter().filter(|line| !line.trim().is_empty()).collect();
        let left_out = printed.len().saturating_sub(most);
        let room = terminal.columns.saturating_sub(INDENT);
        let shown = printed.into_iter().skip(left_out).map(|line| {
            let line = visible(line).replace('\t', "    ");
            format!("{:INDENT$}{}", "", clip_with(line.trim_end(), room, marks.more))
        });
        let more = format!("{:INDENT$}{} {}", "", marks.more, count(left_out as u64, "more line"));
        (left_out > 0).then_some(more).into_iter().chain(shown).collect()
    }

    /// The mark before it.
    pub(crate) fn mark(&self, marks: Marks) -> &'static str {
        if self.is_success() { marks.done } else { marks.failed }
    }

    pub(crate) fn tone(&self) -> Tone {
        if self.is_success() { Tone::Quiet } else { Tone::Bad }
    }

    /// The whole line, as wide as the terminal; the call gets more of it than the result.
    pub(crate) fn line(&self, terminal: Terminal) -> String {
        let marks = terminal.marks;
        let (mark, call, result) = (self.mark(marks), call(self.call), self.result());
        let took = self.took.map_or_else(String::new, |took| format!(" ({})", time(took)));
        // The mark with a space, and an arrow with two. A time counts as a long one, so that
        // lines are cut at the same place however long it took.
        let around = columns(mark) + 1 + columns(&took).max(TIME) + 2 + columns(marks.gives);
        let room = terminal.columns.saturating_sub(around);
        let for_result = columns(&result).min((room / 2).max(room.saturating_sub(columns(&call))));
        let call = clip_with(&call, room.saturating_sub(for_result), marks.more).into_owned();
        let result = clip_with(&result, for_result, marks.more);
        format!("{mark} {call}{took} {} {result}", marks.gives)
    }
}
