//! What a tool changed in a file: in a word, and line by line.

use legwork::core::{ToolCall, ToolOutcome};
use serde_json::Value;
use unicode_width::UnicodeWidthChar as _;

use super::terminal::{Terminal, Tone};
use super::text::{clip_with, count, visible};

/// Lines of a change that are shown unless all are asked for.
const LINES: usize = 10;
/// Columns before them.
const INDENT: usize = 2;
/// Columns before the rest of a line that is broken: what is broken looks like no line of ours.
const BROKEN: usize = 6;

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
    let line = |line: &str| {
        let tone = tone(line);
        let line = visible(line).replace('\t', "    ");
        let parts = parts(&line, terminal.columns);
        let parts: Vec<_> = parts.iter().map(|part| terminal.paint(tone, part)).collect();
        format!("{:INDENT$}{}", "", parts.join(&format!("\n{:BROKEN$}", "")))
    };
    change.lines().map(line).collect()
}

/// A line in parts that fit between what is before them and the end of the terminal.
fn parts(line: &str, columns: usize) -> Vec<String> {
    let (mut parts, mut room) = (vec![String::new()], columns.saturating_sub(INDENT));
    let mut used = 0_usize;
    for c in line.chars() {
        let wide = c.width().unwrap_or(0);
        if used.saturating_add(wide) > room && used > 0 {
            parts.push(String::new());
            (used, room) = (0, columns.saturating_sub(BROKEN));
        }
        used = used.saturating_add(wide);
        parts.iter_mut().next_back().into_iter().for_each(|part| part.push(c));
    }
    parts
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

#[cfg(test)]
mod tests;
