//! The task: words, a file, standard input, pictures.

mod file;
mod image;
mod stdin;

#[cfg(test)]
mod tests;

pub(crate) use file::regular_text;
pub(crate) use image::read as picture;

use std::path::{Path, PathBuf};

use legwork::core::{Message, Part, Role};

use crate::error::Error;
use crate::shell::quoted;

const HINT: &str = "say what is to be done: legwork run \"Read notes.txt and sum it up\"";

/// Bytes of the longest task.
const MOST: usize = 16 << 20;

/// The task that a command line and standard input say.
///
/// # Errors
/// When there is none, or it cannot be read.
pub(crate) fn of(
    argument: Option<String>,
    more: &[String],
    images: &[PathBuf],
) -> Result<Message, Error> {
    if let Some(first) = argument.as_ref().filter(|_| !more.is_empty()) {
        return Err(several(first, more));
    }
    let text = match argument.as_deref() {
        None | Some("-") => stdin::task(argument.is_some())?,
        Some(words) => with_context(named(words)?, stdin::context()?)?,
    };
    if text.trim().is_empty() {
        return Err(Error::usage("the task is empty", HINT));
    }
    let mut parts = vec![Part::text(text)];
    for path in images {
        parts.push(Part::Image(image::read(path)?));
    }
    Ok(Message::new(Role::User, parts))
}

/// The message that an argument of a command says; what is piped in belongs to it only if the
/// argument says so.
///
/// # Errors
/// When there is none, or it cannot be read.
pub(crate) fn message(argument: String, more: &[String], verb: &str) -> Result<Message, Error> {
    if !more.is_empty() {
        let message = format!("the message is one argument, and there are {}", more.len() + 1);
        let words: Vec<_> = [&argument].into_iter().chain(more).map(String::as_str).collect();
        let hint = format!("put it in quotes: {verb} SESSION {}", quoted(&words.join(" ")));
        return Err(Error::usage(message, hint));
    }
    let text = match argument.as_str() {
        "-" => stdin::message()?,
        words => named(words)?,
    };
    if text.trim().is_empty() {
        let hint = format!("say it: {verb} SESSION \"Look at notes.txt first\"");
        return Err(Error::usage("the message is empty", hint));
    }
    Ok(Message::new(Role::User, vec![Part::text(text)]))
}

/// What an argument stands for: itself, or the content of a file.
fn named(words: &str) -> Result<String, Error> {
    match words.strip_prefix('@') {
        None => Ok(words.to_owned()),
        Some(rest) if rest.starts_with('@') => Ok(rest.to_owned()),
        Some("") => Err(Error::usage("there is no file behind the @", "name one: @task.md")),
        Some(path) => file::read(Path::new(path)),
    }
}

/// A task with what was piped in beside it.
fn with_context(task: String, context: Option<String>) -> Result<String, Error> {
    let Some(context) = context.filter(|context| !context.trim().is_empty()) else {
        return Ok(task);
    };
    if task.trim().is_empty() {
        return Err(Error::usage("the task is empty", HINT));
    }
    let end = if context.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{task}\n\n<stdin>\n{context}{end}</stdin>"))
}

fn several(first: &str, more: &[String]) -> Error {
    let words: Vec<_> = [first].into_iter().chain(more.iter().map(String::as_str)).collect();
    let message = format!("the task is one argument, and there are {}", words.len());
    Error::usage(message, format!("put it in quotes: legwork run {}", quoted(&words.join(" "))))
}

/// Bytes as text, or why they are none.
fn text(bytes: Vec<u8>, place: &str) -> Result<String, Error> {
    if bytes.len() > MOST {
        let message = format!("{place} holds more than {} MiB, which no task may", MOST >> 20);
        return Err(Error::usage(message, "name the file in the task: the agent can read it"));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        let hint = "bring it into UTF-8 first, for example with `iconv -t UTF-8`";
        Error::usage(format!("{place} is not UTF-8"), hint)
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
