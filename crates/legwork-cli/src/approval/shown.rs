//! How a call that waits is shown to the person.

use std::io::Read as _;

use legwork::agent::toolset::CallRule;
use legwork::core::ToolCall;
use legwork::core::state::{Pending, PendingReason};
use legwork::tools::{Workspace, diff};
use serde_json::Value;

use crate::display::{Question, tool};

/// Most bytes of a file that a change is shown of.
const SHOWN: u64 = 1 << 20;

/// The question about a call.
pub(super) fn question(
    pending: &Pending,
    workspace: &Workspace,
    walls: &str,
    rule: Option<&CallRule>,
) -> Question {
    let call = ToolCall::new("", &*pending.tool, &*pending.arguments);
    let arguments: Value = call.parse().unwrap_or_default();
    let mut lines = vec![tool::call(&call)];
    let command = arguments.get("command").and_then(Value::as_str);
    match command {
        Some(command) => {
            lines.extend(command.lines().map(|line| format!("$ {line}")));
            lines.push(format!("it runs {walls}"));
        }
        None if changed(&arguments).is_none() => {
            let rest = arguments.as_object().into_iter().flatten();
            lines.extend(rest.map(|(name, value)| format!("{name}: {value}")));
        }
        None => {}
    }
    lines.extend(pending.explanation.iter().map(|why| format!("why: {why}")));
    if pending.reason == PendingReason::Doubt {
        let label = "in doubt";
        lines.push("it was running when the process died: it may or may not have happened".into());
        let prompt = "[r]un it again, [t]ell the model, [l]ater?".to_owned();
        return Question { label, lines, diff: String::new(), prompt };
    }
    let diff = change(&arguments, workspace).unwrap_or_default();
    let tool = &pending.tool;
    let always = match rule {
        Some(rule) => format!("[a]lways {rule}, [t]ool: always {tool}"),
        None => format!("[a]lways {tool}"),
    };
    let prompt = format!("[y]es, [n]o, n WORDS for the model, [e]dit, {always}, [l]ater?");
    Question { label: "approve?", lines, diff, prompt }
}

/// The rule for calls like this one: its command, without what is peculiar to it. None if there is
/// no other than that for the whole tool.
pub(super) fn rule(pending: &Pending) -> Option<CallRule> {
    let arguments: Value = serde_json::from_str(&pending.arguments).ok()?;
    let command = arguments.get("command")?.as_str()?;
    let word = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./+".contains(c));
    let mut words = command.split_ascii_whitespace();
    let program = words.next().filter(word)?;
    // What a program does is often its first argument, such as that of Git.
    let verb = words.next().filter(word).filter(|verb| !verb.starts_with(['-', '/', '.']));
    let command = verb.map_or_else(|| program.to_owned(), |verb| format!("{program} {verb}"));
    Some(CallRule::command(&*pending.tool, command))
}

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
