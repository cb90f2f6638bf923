//! What a tool changed in a file: in a word, and line by line.

use legwork::core::{ToolCall, ToolOutcome};
use serde_json::Value;

use super::terminal::{Terminal, Tone};
use super::text::{clip_with, count, visible};

/// Lines of a change that are shown unless all are asked for.
const LINES: usize = 10;
/// Columns before them.
const INDENT: usize = 2;

/// How much of a change is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Beginning,
    All,
}

/// What a tool that changes files says of it, without the path, which the call names.
pub(crate) fn summary(of: &ToolCall, text: &str) -> Option<String> {
    if !changes(of) {
        return None;
    }
    let (verb, said) = text.lines().next()?.split_once(' ')?;
    let (_, said) = said.split_once(": ")?;
    matches!(verb, "edited" | "created" | "overwrote").then(|| format!("{verb}: {said}"))
}

/// The change line by line, painted; empty if there is none to show.
pub(crate) fn lines(
    of: &ToolCall,
    outcome: &ToolOutcome,
    extent: Extent,
    terminal: Terminal,
) -> Vec<String> {
    if !changes(of) || !outcome.is_ok() {
        return Vec::new();
    }
    let text = outcome.to_text();
    let change = match text.find("\n@@ ").and_then(|at| text.get(at + 1..)) {
        Some(diff) => diff.to_owned(),
        None if text.starts_with("created ") => written(of),
        None => return Vec::new(),
    };
    let most = match extent {
        Extent::Beginning => LINES,
        Extent::All => usize::MAX,
    };
    let all = change.lines().count();
    // A last line is shown rather than the note that there is one.
    let most = if all == most.saturating_add(1) { all } else { most };
    let mut shown: Vec<_> = change.lines().take(most).map(|line| painted(line, terminal)).collect();
    if all > most {
        let left = format!("  {} {}", terminal.marks.more, count((all - most) as u64, "more line"));
        shown.push(terminal.paint(Tone::Quiet, &left));
    }
    shown
}

/// A change, which is given as the lines of a diff, painted; long lines are broken, not cut.
pub(crate) fn whole(change: &str, terminal: Terminal) -> Vec<String> {
    let room = terminal.columns.saturating_sub(INDENT).max(1);
    let line = |line: &str| {
        let tone = tone(line);
        let line: Vec<char> = visible(line).replace('\t', "    ").chars().collect();
        let parts = line.chunks(room).map(|part| part.iter().collect::<String>());
        let parts: Vec<_> = parts.map(|part| terminal.paint(tone, &part)).collect();
        format!("{:INDENT$}{}", "", parts.join(&format!("\n{:INDENT$}", "")))
    };
    change.lines().map(line).collect()
}

fn changes(of: &ToolCall) -> bool {
    matches!(&*of.name, "edit" | "write")
}

/// The content of a file that is new, as added lines.
fn written(of: &ToolCall) -> String {
    let arguments: Value = serde_json::from_str(&of.arguments).unwrap_or_default();
    let content = arguments.get("content").and_then(Value::as_str).unwrap_or_default();
    content.lines().map(|line| format!("+{line}\n")).collect()
}

fn tone(line: &str) -> Tone {
    match line.chars().next() {
        Some('+') => Tone::Added,
        Some('-') => Tone::Removed,
        _ => Tone::Quiet,
    }
}

fn painted(line: &str, terminal: Terminal) -> String {
    let tone = tone(line);
    let line = visible(line).replace('\t', "    ");
    let line = clip_with(&line, terminal.columns.saturating_sub(INDENT), terminal.marks.more);
    format!("{:INDENT$}{}", "", terminal.paint(tone, &line))
}
