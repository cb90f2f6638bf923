//! All keys in words: the help, and the file that one begins with.

use super::key::{Expects, KEYS, Key, Project};

const HEAD: &str = "\
Examples:
  legwork config init            write your file, all keys in it as comments
  legwork config show            what holds, and where each value was said
  legwork config show --json | jq .values.model
  legwork config path            which files are looked at

A value comes from the highest that has one: a flag, the session that goes on, the environment, \
the project's legwork.toml, your own legwork.toml, the default.

Your file is ~/.config/legwork/legwork.toml (under XDG_CONFIG_HOME, if that is set), or the one \
that --config or LEGWORK_CONFIG names. The project's is the nearest legwork.toml from the working \
directory up to the repository's root. It is left out until the project is trusted, see \
`legwork help trust`; then it may name the model and lower limits, and nothing else.
";

/// The help of `legwork config`.
pub(crate) fn text() -> String {
    let mut text = format!("{HEAD}\nKeys of legwork.toml:");
    for key in KEYS {
        for line in key.example.lines() {
            text.push_str(&format!("\n  {line}"));
        }
        text.push_str(&format!("\n      {}{}", key.help, also(key)));
    }
    text
}

/// A file with all keys as comments.
pub(crate) fn example() -> String {
    let mut text = "# Settings of legwork. `legwork help config` explains them, and\n\
                    # `legwork config show` says which of them hold.\n"
        .to_owned();
    for key in KEYS {
        text.push_str(&format!("\n# {}{}\n", key.help, also(key)));
        for line in key.example.lines() {
            // Without a space, so that it can be told from words.
            text.push_str(&format!("#{line}\n"));
        }
    }
    text
}

/// What else is to be said of a key.
fn also(key: &Key) -> String {
    let above: Vec<_> = [key.flag, key.variable].into_iter().flatten().collect();
    let mut notes = Vec::new();
    notes.extend((!above.is_empty()).then(|| above.join(", ")));
    notes.extend(names(key.expects).map(|names| format!("one of {names}")));
    match key.project {
        Project::May => notes.push("also in a project".to_owned()),
        Project::Tightens => notes.push("in a project only to lower it".to_owned()),
        Project::Never(_) => {}
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
