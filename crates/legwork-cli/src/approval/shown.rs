//! How a call that waits is shown to the person.

use std::io::Read as _;

use legwork::agent::form::{Field, Form, Kind};
use legwork::agent::toolset::CallRule;
use legwork::capability::ask_user;
use legwork::core::approval::Remember;
use legwork::core::state::{Pending, PendingReason};
use legwork::core::{AgentState, ToolCall};
use legwork::tools::{Workspace, diff};
use serde_json::Value;

use crate::display::text::one_line;
use crate::display::{Question, choices, tool};

/// Choices of a field that are shown.
const CHOICES: usize = 50;
/// Most bytes of a file that a change is shown of.
const SHOWN: u64 = 1 << 20;

/// The question about a call.
pub(super) fn question(
    pending: &Pending,
    state: &AgentState,
    workspace: &Workspace,
    walls: &str,
) -> Question {
    let call = ToolCall::new("", &*pending.tool, &*pending.arguments);
    let arguments: Value = call.parse().unwrap_or_default();
    let of = whose(state);
    let mut lines = vec![of + &tool::call(&call)];
    let command = arguments.get("command").and_then(Value::as_str);
    let diff = change(&arguments, workspace).unwrap_or_default();
    lines.extend(command.into_iter().flat_map(str::lines).map(|line| format!("$ {line}")));
    lines.extend(command.map(|_| format!("it runs {walls}")));
    // What no other line shows.
    let shown = |name: &str| name == "command" || !diff.is_empty() || name == "path";
    let rest = arguments.as_object().into_iter().flatten().filter(|(name, _)| !shown(name));
    lines.extend(rest.map(|(name, value)| format!("{name}: {value}")));
    lines.extend(pending.explanation.iter().map(|why| format!("why: {why}")));
    if pending.reason == PendingReason::Doubt {
        let label = "in doubt";
        lines.push("it was running when the process died: it may or may not have happened".into());
        let prompt = "[r]un it again, [t]ell the model, [l]ater?".to_owned();
        return Question { label, lines, diff: String::new(), prompt };
    }
    let tool = &pending.tool;
    let always = match always(pending) {
        // Each such call is asked about, whatever was approved before.
        _ if !pending.of_policy => String::new(),
        Some(Remember::Rule(rule)) => format!(" [a]lways {rule}, [t]ool: always {tool},"),
        Some(_) => format!(" [a]lways {tool},"),
        None => format!(" [t]ool: always {tool},"),
    };
    let prompt = format!("[y]es, [n]o, n WORDS for the model, [e]dit,{always} [l]ater?");
    Question { label: "approve?", lines, diff, prompt }
}

/// Whose call it is, if a subagent's; nothing if it is the agent's.
fn whose(state: &AgentState) -> String {
    let of = state.facts().parent.as_ref().and(state.facts().agent.as_ref());
    of.map_or_else(String::new, |agent| format!("subagent {agent}: "))
}

/// The question that the agent asks.
pub(super) fn asked(asked: &ask_user::Question, state: &AgentState) -> Question {
    let of = whose(state);
    let lines = std::iter::once(of + &asked.text).chain(choices(asked)).collect();
    let takes = match (asked.choices.is_empty(), asked.takes_any()) {
        (true, _) => "your answer",
        (false, true) => "a number, or your answer",
        (false, false) => "a number",
    };
    let prompt = format!("{takes} (return alone: later):");
    Question { label: "question", lines, diff: String::new(), prompt }
}

/// What a call asks for, with its first field.
pub(super) fn form(pending: &Pending, form: &Form, state: &AgentState) -> Question {
    let of = whose(state);
    let lines = vec![format!("{of}{} asks: {}", pending.tool, form.message)];
    let Some(first) = form.fields.first() else {
        let prompt = "[y]es or [n]o (return alone: later):".to_owned();
        return Question { label: "input", lines, diff: String::new(), prompt };
    };
    let first = field(first);
    Question { lines: lines.into_iter().chain(first.lines).collect(), ..first }
}

/// What is to be said of a field beside its name: what it is about, and what can be chosen.
pub(crate) fn about(field: &Field) -> Vec<String> {
    let about = field.description.iter().map(|about| format!("{}: {about}", field.label()));
    let choices = (1..).zip(field.choices()).take(CHOICES);
    let choices = choices.map(|(number, choice)| format!("{number} {}", choice.label()));
    let more = field.choices().len().saturating_sub(CHOICES);
    let more = (more > 0).then(|| format!("and {more} more, by their words"));
    about.chain(choices).chain(more).collect()
}

/// A field of what a call asks for.
pub(super) fn field(field: &Field) -> Question {
    let label = one_line(field.label());
    let lines = about(field).iter().map(|line| one_line(line)).collect();
    let takes = match &field.kind {
        Kind::Boolean => "[y]es or [n]o",
        Kind::Number { is_whole: true, .. } => "a whole number",
        Kind::Number { .. } => "a number",
        Kind::One(_) => "a number, or the words",
        Kind::Many(_) => "numbers with commas between",
        _ => "text",
    };
    let alone = match (&field.default, field.is_required) {
        (Some(Value::String(default)), _) => default.clone(),
        (Some(default), _) => default.to_string(),
        (None, true) => "later".to_owned(),
        (None, false) => "leave it out".to_owned(),
    };
    let prompt = format!("{label}: {takes} (return alone: {}):", one_line(&alone));
    Question { label: "input", lines, diff: String::new(), prompt }
}

/// Which later calls "always" is about: those of the tool, or of a command with its verb. None for a
/// command that a rule cannot hold to what it does now.
pub(crate) fn always(pending: &Pending) -> Option<Remember> {
    let arguments: Value = serde_json::from_str(&pending.arguments).unwrap_or_default();
    let Some(command) = arguments.get("command").and_then(Value::as_str) else {
        return Some(Remember::Tool);
    };
    let word = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let mut words = command.split([' ', '\t']).filter(|word| !word.is_empty());
    let program = words.next().filter(word)?;
    let begin = match PLAIN.contains(&program) {
        true => program.to_owned(),
        false if RUNNERS.contains(&program) => return None,
        // What such a program does is its first argument, as with Git.
        false => {
            let verb = words.next().filter(word)?;
            format!("{program} {}", Some(verb).filter(|verb| !verb.starts_with('-'))?)
        }
    };
    let rule = CallRule::command(&*pending.tool, begin);
    rule.fits(command).then(|| Remember::Rule(rule.to_string()))
}

/// Programs that read, whatever their arguments are.
const PLAIN: &[&str] = &[
    "cat", "cut", "df", "diff", "du", "echo", "grep", "head", "ls", "printf", "pwd", "stat",
    "tail", "tr", "wc", "which",
];
/// Programs that run others, or code that their arguments hold.
const RUNNERS: &[&str] = &[
    "awk", "bash", "dash", "doas", "env", "exec", "eval", "find", "gawk", "nice", "node", "nohup",
    "parallel", "perl", "php", "python", "python3", "ruby", "sed", "setsid", "sh", "ssh", "stdbuf",
    "sudo", "time", "timeout", "watch", "xargs", "zsh",
];

/// The path and what is written to it, if a call changes a file.
fn changed(arguments: &Value) -> Option<&str> {
    let writes = arguments.get("content").is_some() || arguments.get("edits").is_some();
    arguments.get("path")?.as_str().filter(|_| writes)
}

/// What a call would change in a file, as a diff without its head.
fn change(arguments: &Value, workspace: &Workspace) -> Option<String> {
    let path = changed(arguments)?;
    let mut before = Vec::new();
    if let Ok(file) = workspace.open_file(path) {
        file.take(SHOWN).read_to_end(&mut before).ok()?;
    }
    if before.len() as u64 == SHOWN {
        return None;
    }
    let after = match arguments.get("content").and_then(Value::as_str) {
        Some(content) => content.to_owned(),
        None => edited(&String::from_utf8_lossy(&before), arguments)?,
    };
    let diff = diff::unified(path, &before, after.as_bytes());
    let head = diff.find("\n@@ ").and_then(|at| diff.get(at + 1..));
    Some(head.unwrap_or(&diff).to_owned())
}

/// A text after the edits of a call; none if one does not fit.
fn edited(text: &str, arguments: &Value) -> Option<String> {
    let edits = arguments.get("edits")?.as_array()?;
    edits.iter().try_fold(text.to_owned(), |text, edit| {
        let (old, new) = (edit.get("old")?.as_str()?, edit.get("new")?.as_str()?);
        let all = edit.get("replace_all").and_then(Value::as_bool) == Some(true);
        text.contains(old).then(|| match all {
            true => text.replace(old, new),
            false => text.replacen(old, new, 1),
        })
    })
}
