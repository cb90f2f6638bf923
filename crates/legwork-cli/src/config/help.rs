//! All keys in words: the help, and the initial settings file.

use super::expects::Expects;
use super::key::{KEYS, Key, Project};

const HEAD: &str = "\
Examples:
  legwork config init            create your settings file, with all keys as comments
  legwork config show            show the effective settings, each with its source
  legwork config show --json | jq .values.model
  legwork config path            show which files are searched for

A value comes from the first of these that has one: a flag, the resumed session, the environment, \
the project's legwork.toml, your own legwork.toml, the default.

Your file is ~/.config/legwork/legwork.toml (under XDG_CONFIG_HOME, if that is set), or the one \
that --config or LEGWORK_CONFIG names. The project's is the nearest legwork.toml from the working \
directory up to the repository's root. It is not used until the project is trusted, see \
`legwork help trust`; then it may only name the model, lower limits, and deny or ask about calls.
";

/// The meaning of the table of limits.
const LIMITS: &str = "The limits of an execution; a project's file may only lower them";

/// The help of `legwork config`.
pub(crate) fn text() -> String {
    let mut text = format!("{HEAD}\nKeys of legwork.toml:");
    let mut table = "";
    for key in KEYS {
        if std::mem::replace(&mut table, key.table) != key.table && !table.is_empty() {
            text.push_str(&format!("\n  [{table}]\n      {LIMITS}"));
        }
        for line in key.example.lines() {
            text.push_str(&format!("\n  {line}"));
        }
        text.push_str(&format!("\n      {}{}", key.help, also(key)));
    }
    text.push_str(&options());
    text
}

/// The options of a model.
fn options() -> String {
    let mut text = "\n\nOptions of a model, behind its name as in \
                    openai:gpt-5-mini?thinking=high&temperature=0.2:"
        .to_owned();
    for (name, values) in legwork::model::options::OPTIONS {
        text.push_str(&format!("\n  {name:<15} {values}"));
    }
    text
}

/// A file with all keys as comments.
pub(crate) fn example() -> String {
    let mut text = "# Settings of legwork. `legwork help config` explains them, and\n\
                    # `legwork config show` shows the effective ones.\n"
        .to_owned();
    let mut table = "";
    for key in KEYS {
        if std::mem::replace(&mut table, key.table) != key.table && !table.is_empty() {
            text.push_str(&format!("\n# {LIMITS}\n#[{table}]\n"));
        }
        text.push_str(&format!("\n# {}{}\n", key.help, also(key)));
        for line in key.example.lines() {
            // Without a space, to distinguish it from words.
            text.push_str(&format!("#{line}\n"));
        }
    }
    text
}

/// Notes on a key: flag, variable, names, and whether a project may set it.
fn also(key: &Key) -> String {
    let above: Vec<_> = [key.flag, key.variable].into_iter().flatten().collect();
    let mut notes = Vec::new();
    notes.extend((!above.is_empty()).then(|| above.join(", ")));
    notes.extend(names(key.expects).map(|names| format!("one of {names}")));
    match key.project {
        Project::May => notes.push("also in a project".to_owned()),
        // The table says it once.
        Project::Tightens | Project::Never(_) => {}
    }
    match notes.is_empty() {
        true => String::new(),
        false => format!(" ({})", notes.join("; ")),
    }
}

fn names(expects: Expects) -> Option<String> {
    let names = expects.names();
    (!names.is_empty()).then(|| names.join(", "))
}
