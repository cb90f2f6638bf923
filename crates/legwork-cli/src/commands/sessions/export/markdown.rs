//! A document as Markdown.
//!
//! Text of models, tools and people cannot change the structure around it: prose is quoted, and
//! its HTML and links to scripts escaped; all else is in fences that are longer than any in it.

use std::collections::HashSet;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::document::{Block, Call, Document, Kind, Left};
use super::parts::{Part, in_words};
use crate::display::text::{count, one_line, visible};
use crate::shell::quoted;

/// Lines of a result that are shown.
const LINES: usize = 100;
/// Characters of a result that are shown.
const CHARACTERS: usize = 20_000;
/// How often prose is looked at for them: escaping one piece may uncover another.
const ROUNDS: usize = 8;

/// The documents, the first one above all others.
pub(super) fn of(documents: &[Document], store: &str) -> String {
    let mut out = String::new();
    for (document, at) in documents.iter().zip(0..) {
        let lead = if at == 0 { "#" } else { "\n---\n\n#" };
        let subagent = if at == 0 { "" } else { "Subagent: " };
        out.push_str(&format!("{lead} {subagent}{}\n\n", inline(&document.title)));
        for (name, fact) in &document.facts {
            out.push_str(&format!("- **{name}:** {}\n", inline(fact)));
        }
        document.blocks.iter().for_each(|block| block_of(block, &mut out));
        left(&document.left, document, store, &mut out);
    }
    out
}

fn left(left: &[Left], document: &Document, store: &str, out: &mut String) {
    if left.is_empty() {
        return;
    }
    out.push_str("\n## Other branches\n\nThey are not shown here.\n\n");
    let id = quoted(document.session.as_str());
    for branch in left {
        let command = format!("legwork sessions branch {id} {}{store}", branch.entry);
        let what = inline(&branch.what);
        out.push_str(&format!("- Entry {}, {what}: {}\n", branch.entry, code(&command)));
    }
}

fn block_of(block: &Block, out: &mut String) {
    out.push('\n');
    match &block.kind {
        Kind::Task(number, parts) => {
            out.push_str(&format!("## Task {number}\n\n"));
            said(parts, out);
        }
        Kind::Step(number, used) if used.is_empty() => {
            out.push_str(&format!("### Step {number}\n"))
        }
        Kind::Step(number, used) => out.push_str(&format!("### Step {number} ({used})\n")),
        Kind::Message(how, parts) => {
            out.push_str(&format!("**{}:**\n\n", inline(how)));
            said(parts, out);
        }
        Kind::Said(parts) => said(parts, out),
        Kind::Thinking(text) => {
            out.push_str("<details><summary>Thinking</summary>\n\n");
            fenced("text", text, out);
            out.push_str("\n</details>\n");
        }
        Kind::Call(call) => call_of(call, out),
        Kind::Output(json) => {
            out.push_str("**Output:**\n\n");
            fenced("json", json, out);
        }
        Kind::Note(text) => out.push_str(&format!("_{}_\n", inline(text))),
        Kind::Error(text) => out.push_str(&format!("**Error:** {}\n", inline(text))),
    }
}

fn call_of(call: &Call, out: &mut String) {
    let outcome = call.outcome.as_deref().unwrap_or("not run");
    out.push_str(&format!("**Tool call:** {} {}\n\n", code(&call.name), inline(outcome)));
    if let Some(child) = &call.child {
        out.push_str(&format!("Session of the subagent: {}\n\n", code(child.as_str())));
    }
    fenced("json", &call.arguments, out);
    for part in &call.result {
        out.push('\n');
        match part {
            Part::Text(text) => result(text, out),
            Part::Note(text) => out.push_str(&format!("{}\n", inline(text))),
            Part::Image(image) => out.push_str(&format!("{}\n", inline(&in_words(image)))),
        }
    }
}

/// The beginning of a result, and how much of it is missing.
fn result(text: &str, out: &mut String) {
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let shown: String =
        lines.iter().take(LINES).flat_map(|line| line.chars()).take(CHARACTERS).collect();
    fenced("text", &shown, out);
    let missing = text.chars().count().saturating_sub(shown.chars().count());
    if missing > 0 {
        let lines = lines.len().saturating_sub(shown.lines().count());
        let (lines, characters) =
            (count(lines as u64, "more line"), count(missing as u64, "character"));
        out.push_str(&format!("\n_Cut: {lines} ({characters}) in the journal._\n"));
    }
}

/// What a model or a person said, as a quotation.
fn said(parts: &[Part], out: &mut String) {
    for (part, at) in parts.iter().zip(0..) {
        let text = match part {
            Part::Text(text) => harmless(&visible(text)),
            Part::Note(text) => inline(text),
            Part::Image(image) => inline(&in_words(image)),
        };
        if at > 0 {
            out.push_str(">\n");
        }
        for line in text.lines() {
            out.push_str(format!("> {line}").trim_end());
            out.push('\n');
        }
    }
}

/// Markdown with its HTML escaped, and links that could run something.
fn harmless(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let harmful = harmful(&text);
        if harmful.is_empty() {
            return text;
        }
        let escaped = text.char_indices().map(|(at, c)| match c {
            c if !harmful.contains(&at) => c.to_string(),
            '<' => "&lt;".to_owned(),
            '[' | '!' => format!("\\{c}"),
            c => c.to_string(),
        });
        text = escaped.collect();
    }
    text.replace('<', "&lt;").replace('[', "&#91;")
}

/// Where a text has the angle brackets of HTML, and where a link begins that could run something.
fn harmful(text: &str) -> HashSet<usize> {
    let mut harmful = HashSet::new();
    for (event, at) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {
                let html = text.get(at.clone()).unwrap_or_default();
                harmful.extend(html.match_indices('<').map(|(found, _)| at.start + found));
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. })
                if !is_address(&dest_url) =>
            {
                harmful.insert(at.start);
            }
            _ => {}
        }
    }
    harmful
}

/// Whether a link leads to a page, a mailbox, or a file beside this one.
fn is_address(link: &str) -> bool {
    match link.split_once(':') {
        Some((scheme, _)) if !scheme.contains(['/', '?', '#']) => {
            ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
        }
        _ => true,
    }
}

/// A fenced block; the fence is longer than any run of backticks in the text.
fn fenced(language: &str, text: &str, out: &mut String) {
    let text = visible(text);
    let fence = "`".repeat(longest_run(&text).saturating_add(1).max(3));
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    out.push_str(&format!("{fence}{language}\n{text}{end}{fence}\n"));
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text in one line as code.
fn code(text: &str) -> String {
    let text = one_line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    match text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        true => format!("{ticks} {text} {ticks}"),
        false => format!("{ticks}{text}{ticks}"),
    }
}

/// Text in one line, its characters of Markdown and HTML escaped.
fn inline(text: &str) -> String {
    let mut escaped = String::new();
    for c in one_line(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '#' | '|' | '~' | '!')
        {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
