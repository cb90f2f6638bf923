//! What a text may be about, where a rule refuses it or asks about it.

use std::iter::{once, successors};

/// Characters behind which a shell may begin a command.
const BEGINS: &[char] =
    &[';', '&', '|', '(', ')', '{', '}', '`', '!', '\n', '\r', '"', '\'', '<', '>', '$'];

/// Programs that run the command behind them, and words of a shell before a command.
const RUNNERS: &[&str] = &[
    "builtin", "command", "do", "doas", "elif", "else", "env", "eval", "exec", "if", "ionice",
    "nice", "nohup", "setsid", "stdbuf", "sudo", "then", "time", "timeout", "until", "watch",
    "while", "xargs",
];

/// Whether a line for a shell may run a command, alone or with further words.
pub(super) fn runs(line: &str, command: &str) -> bool {
    let wanted: Vec<_> = command.split_whitespace().collect();
    parts(line).iter().any(|words| begins(words).any(|words| is(words, &wanted)))
}

/// The commands that a line for a shell may run, each with the words behind it.
pub(super) fn commands(line: &str) -> Vec<String> {
    let of_part =
        |words: Vec<String>| begins(&words).map(|words| words.join(" ")).collect::<Vec<_>>();
    parts(line).into_iter().flat_map(of_part).collect()
}

/// The words between places where a command may begin.
fn parts(line: &str) -> Vec<Vec<String>> {
    let words = |part: &str| part.split_whitespace().map(plain).collect();
    line.replace("\\\n", " ").split(BEGINS).map(words).collect()
}

/// The words from each place on at which the command of a part may begin.
///
/// What stands behind a runner may be its options, the values of those, or the command.
fn begins(words: &[String]) -> impl Iterator<Item = &[String]> {
    let assigned = words.iter().take_while(|word| is_assignment(word)).count();
    let words = words.get(assigned..).unwrap_or_default();
    let runs_another = words.first().is_some_and(|word| RUNNERS.contains(&name(word)));
    let places = if runs_another { words.len() } else { words.len().min(1) };
    (0..places).filter_map(move |at| words.get(at..))
}

/// Whether words begin with those of a command; options and their values may stand between them.
fn is(words: &[String], wanted: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let Some((program, further)) = wanted.split_first() else { return false };
    if first != program && name(first) != *program {
        return false;
    }
    let (mut further, mut behind_option) = (further.iter().peekable(), false);
    for word in rest {
        match further.peek() {
            None => return true,
            Some(wanted) if word == *wanted => drop(further.next()),
            Some(_) if word.starts_with(['-', '+']) || behind_option => {}
            Some(_) => return false,
        }
        behind_option = word.starts_with(['-', '+']);
    }
    further.peek().is_none()
}

/// A word as a shell takes it: `\rm` and `rm` are the same.
fn plain(word: &str) -> String {
    word.replace('\\', "")
}

/// A program without its folder.
fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The paths that a text may mean: itself without `.` and `..`, and if it is absolute or leads out
/// of the folder, what is behind each `/`.
pub(super) fn paths(text: &str) -> impl Iterator<Item = String> {
    let mut parts: Vec<&str> = Vec::new();
    let mut leads_out = text.starts_with(['/', '~']);
    for part in text.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." if parts.pop().is_none() => leads_out = true,
            ".." => {}
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    let whole = format!("/{path}");
    let further = successors(leads_out.then(|| path.clone()), |path| {
        path.split_once('/').map(|(_, rest)| rest.to_owned())
    });
    // A rule may be written as the text is, as an address or an absolute path.
    once(text.to_owned()).chain(once(path)).chain(leads_out.then_some(whole)).chain(further)
}

#[cfg(test)]
mod tests;
