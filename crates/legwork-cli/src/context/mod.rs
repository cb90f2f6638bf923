//! Project context: what `AGENTS.md` files tell the agent.
//!
//! The user's own file comes first, then those from the root of the repository down to
//! the directory that is worked in: what stands nearest stands last.

mod content;
mod places;
pub(crate) mod tokens;

use std::path::{Path, PathBuf};

use content::{Content, MOST_EACH, content};

pub(crate) use places::{NAME, home};

use crate::trust::{Trust, file};

/// Bytes that all files together give at most.
const MOST_ALL: usize = 256 << 10;

/// What begins the context in the agent's instructions.
const HEADING: &str = "Project context: the following files hold instructions of the user and of \
     the project. Where they disagree, what stands further down counts.";

/// What files tell the agent.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// The files, the outermost first.
    pub(crate) files: Vec<ContextFile>,
    /// What the person should know: what was skipped or cut, and why.
    pub(crate) warnings: Vec<String>,
}

/// A file that the agent is told of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ContextFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Context {
    /// The user's own file in `home`, if there is one, and those of a project that are used.
    pub(crate) fn of(trust: &Trust, home: Option<&Path>) -> Self {
        let mut context = Self::default();
        let mut left = MOST_ALL;
        let mut seen = Vec::new();
        // The nearest first: where there is too much, what is furthest is left out.
        for piece in trust.instructions() {
            context.add(&piece.path, &piece.content, &mut left, &mut seen);
        }
        if let Some(own) = home.map(|home| home.join(NAME)) {
            let read = file::read(&own, None);
            context.add(&own, &read, &mut left, &mut seen);
        }
        context.files.reverse();
        context.warnings.reverse();
        context
    }

    fn add(
        &mut self,
        path: &Path,
        read: &Result<Option<file::Content>, file::Skipped>,
        left: &mut usize,
        seen: &mut Vec<PathBuf>,
    ) {
        let found = match read {
            Ok(Some(found)) => found,
            Ok(None) => return,
            Err(why) => return self.warnings.push(note_on(path, &format!("skipped: {why}"))),
        };
        match content(found, (*left).min(MOST_EACH), seen) {
            Ok(None) => {}
            Ok(Some(Content { text, cut })) => {
                *left -= text.len().min(*left);
                self.warnings.extend(cut.map(|why| note_on(path, &why)));
                self.files.push(ContextFile { path: path.to_owned(), text });
            }
            Err(why) => self.warnings.push(note_on(path, &why.to_string())),
        }
    }

    /// The part of the agent's instructions that it makes; empty without files.
    pub(crate) fn section(&self) -> String {
        let files = self.files.iter().map(ContextFile::section);
        std::iter::once(self.heading()).chain(files).collect()
    }

    /// How the part begins; empty without files.
    pub(crate) fn heading(&self) -> String {
        match self.files.is_empty() {
            true => String::new(),
            false => format!("\n\n{HEADING}"),
        }
    }
}

impl ContextFile {
    /// The file under its heading.
    pub(crate) fn section(&self) -> String {
        format!("\n\n# {}\n\n{}", self.path.display(), self.text.trim_end())
    }
}

fn note_on(path: &Path, why: &str) -> String {
    format!("{}: {why}", path.display())
}

/// Whether instructions that were recorded have another context than this section.
pub(crate) fn differs(recorded: &str, section: &str) -> bool {
    let before = recorded.find(HEADING).and_then(|at| recorded.get(at..)).unwrap_or_default();
    before != section.trim_start()
}

#[cfg(test)]
mod tests;
