//! What was probably meant by a command line that names no verb.

use clap::CommandFactory as _;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};

use super::nearest;
use crate::args::Cli;
use crate::shell::quoted;

/// The same error with the command that was probably meant, where clap finds no verb.
pub(super) fn with_meant(mut error: clap::Error, args: &[String]) -> clap::Error {
    let typed = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(typed)) => typed.clone(),
        _ => return error,
    };
    let [first, rest @ ..] = args else { return error };
    if *first != typed {
        return error;
    }
    let cli = Cli::command();
    let verbs: Vec<_> = cli.get_subcommands().map(clap::Command::get_name).collect();
    let near = if is_task(&typed) { None } else { nearest(&typed, verbs.iter().copied()) };
    let meant = match near {
        Some(verb) => {
            let words = std::iter::once(verb).chain(rest.iter().map(String::as_str));
            format!("legwork {}", words.map(word).collect::<Vec<_>>().join(" "))
        }
        None => format!("legwork run {}", task(args)),
    };
    let known = error.get(ContextKind::SuggestedSubcommand).is_some();
    if let Some(verb) = near.filter(|_| !known) {
        let meant = ContextValue::Strings(vec![verb.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    if near.is_none() {
        error.remove(ContextKind::SuggestedSubcommand);
    }
    let tip = StyledStr::from(format!("did you mean: {meant}"));
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    error
}

/// Whether words are no verb, however it is spelled.
fn is_task(typed: &str) -> bool {
    typed.contains(char::is_whitespace)
}

/// The words of a task as one argument; flags behind it stay flags.
fn task(args: &[String]) -> String {
    let is_word = |arg: &&String| !arg.starts_with('-');
    let words: Vec<_> = args.iter().take_while(is_word).map(String::as_str).collect();
    let flags = args.iter().skip(words.len()).map(|arg| word(arg));
    let task = quoted_task(&words.join(" "));
    std::iter::once(task).chain(flags).collect::<Vec<_>>().join(" ")
}

fn word(text: &str) -> String {
    quoted(text)
}

/// A task in the quotes that people type, where they hold it.
fn quoted_task(text: &str) -> String {
    let plain = |c: char| !c.is_control() && !"\"\\$`!".contains(c);
    match text.chars().all(plain) {
        true => format!("\"{text}\""),
        false => quoted(text),
    }
}

#[cfg(test)]
mod tests;
