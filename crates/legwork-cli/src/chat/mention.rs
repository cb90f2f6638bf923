//! Files and pictures that a line names.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use legwork::core::{Message, Part, Role};
use legwork::tools::Workspace;

use crate::error::Error;
use crate::settings::Settings;
use crate::task::picture;
use crate::toolset;

/// Bytes of a file that is put into what is said; the agent reads a larger one itself.
const MOST: u64 = 64 << 10;
/// Extensions of pictures.
const PICTURES: [&str; 5] = ["png", "jpg", "jpeg", "gif", "webp"];

/// What is said, and what the person should know of it.
pub(super) struct Told {
    pub(super) message: Message,
    /// What was added.
    pub(super) added: Vec<String>,
    /// What was not, and why.
    pub(super) left_out: Vec<String>,
}

/// What is said, with the files behind `@` and the pictures that it names.
///
/// # Errors
/// When a picture cannot be read.
pub(super) fn message(words: &str, settings: &Settings) -> Result<Told, Error> {
    let workspace = toolset::workspace(settings, drop)?;
    let (mut text, mut pictures) = (words.to_owned(), Vec::new());
    let (mut added, mut left_out) = (Vec::new(), Vec::new());
    for word in named(words) {
        let path = workspace.root().join(&word.path);
        let shown = word.path.display();
        if is_picture(&word.path) && path.is_file() {
            pictures.push(picture(&path)?);
            added.push(shown.to_string());
        } else if word.is_marked {
            match content(&workspace, &word.path) {
                Ok(content) => {
                    let end = if content.ends_with('\n') { "" } else { "\n" };
                    text.push_str(&format!("\n\n<file path=\"{shown}\">\n{content}{end}</file>"));
                    added.push(shown.to_string());
                }
                Err(why) => left_out.push(format!("@{shown} adds no file: {why}")),
            }
        }
    }
    let parts = std::iter::once(Part::text(text)).chain(pictures.into_iter().map(Part::Image));
    let message = Message::new(Role::User, parts.collect::<Vec<_>>());
    Ok(Told { message, added, left_out })
}

/// A word that may name a file.
#[derive(Debug, PartialEq, Eq)]
struct Word {
    path: PathBuf,
    /// Whether it begins with an `@`.
    is_marked: bool,
}

/// The words of a line; a space in a path has a backslash before it, as terminals write paths
/// that are dropped on them, or the path is in quotes.
fn named(line: &str) -> Vec<Word> {
    let (mut words, mut rest) = (Vec::new(), line.trim_start());
    while !rest.is_empty() {
        let (is_marked, at) = match rest.strip_prefix('@') {
            Some(at) => (true, at),
            None => (false, rest),
        };
        let (path, after) = word(at);
        words.push(Word { path: path.into(), is_marked });
        rest = after.trim_start();
    }
    words
}

/// The first word, and what follows it.
fn word(text: &str) -> (String, &str) {
    for quote in ['"', '\''] {
        let quoted = text.strip_prefix(quote).and_then(|rest| rest.split_once(quote));
        if let Some((word, rest)) = quoted {
            return (word.to_owned(), rest);
        }
    }
    let (mut word, mut escaped) = (String::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            c if c.is_whitespace() && !escaped => {
                return (word, text.get(at..).unwrap_or_default());
            }
            c => word.push(c),
        }
        escaped = false;
    }
    (word, "")
}

fn is_picture(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| PICTURES.contains(&extension.to_ascii_lowercase().as_str()))
}

/// The text of a file that the agent may read.
///
/// # Errors
/// Why there is none, in words.
fn content(workspace: &Workspace, path: &Path) -> Result<String, String> {
    if !path.to_string_lossy().is_empty() && !workspace.root().join(path).exists() {
        return Err("there is no such file".to_owned());
    }
    let path = path.to_str().ok_or("its name is not UTF-8")?;
    let file = workspace.open_file(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST {
        return Err("it is larger than 64 KiB; the agent can read it".to_owned());
    }
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    text.ok_or_else(|| "it is not text".to_owned())
}

#[cfg(test)]
mod tests;
