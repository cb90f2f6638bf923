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

/// What is said, with the files behind `@` and the pictures that it names.
///
/// # Errors
/// When a picture cannot be read.
pub(super) fn message(words: &str, settings: &Settings) -> Result<Message, Error> {
    let workspace = toolset::workspace(settings, drop)?;
    let (mut text, mut pictures) = (words.to_owned(), Vec::new());
    for word in named(words) {
        let dir = workspace.root();
        if is_picture(&word.path) {
            let path = dir.join(&word.path);
            let is_there = path.is_file();
            pictures.extend(is_there.then(|| picture(&path)).transpose()?);
        } else if word.is_marked
            && let Some(content) = content(&workspace, &word.path)
        {
            let end = if content.ends_with('\n') { "" } else { "\n" };
            let path = word.path.display();
            text.push_str(&format!("\n\n<file path=\"{path}\">\n{content}{end}</file>"));
        }
    }
    let parts = std::iter::once(Part::text(text)).chain(pictures.into_iter().map(Part::Image));
    Ok(Message::new(Role::User, parts.collect::<Vec<_>>()))
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

/// The text of a file that the agent may read; none if it is something else.
fn content(workspace: &Workspace, path: &Path) -> Option<String> {
    let file = workspace.open_file(path.to_str()?).ok()?;
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).ok()?;
    let fits = bytes.len() as u64 <= MOST && !bytes.contains(&0);
    fits.then(|| String::from_utf8(bytes).ok()).flatten()
}

#[cfg(test)]
mod tests;
