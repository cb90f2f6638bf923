//! Project context: what `AGENTS.md` files tell the agent.
//!
//! The user's own file comes first, then those from the root of the repository down to
//! the directory that is worked in: what stands nearest stands last.

mod file;
mod places;
pub(crate) mod tokens;

use std::path::{Path, PathBuf};

use file::{Content, MOST_EACH, read};
use places::places;

pub(crate) use places::home;

/// Bytes that all files together give at most.
const MOST_ALL: usize = 256 << 10;

/// What begins the context in the agent's instructions.
const HEADING: &str = "Project context: the following files hold instructions of the user and of \
     the project. Where they disagree, what stands further down counts.";

/// What files tell the agent.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// The files, the outermost first.
    pub(crate) files: Vec<Told>,
    /// What the person should know: what was skipped or cut, and why.
    pub(crate) warnings: Vec<String>,
}

/// A file that the agent is told of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Context {
    /// Reads the files for a directory, and the user's own in `home`, if there is one.
    pub(crate) fn of(directory: &Path, home: Option<&Path>) -> Self {
        let mut context = Self::default();
        let mut left = MOST_ALL;
        let mut seen = Vec::new();
        // The nearest first: where there is too much, what is furthest is left out.
        for place in places(directory, home).into_iter().rev() {
            match read(&place, left.min(MOST_EACH), &mut seen) {
                Ok(None) => {}
                Ok(Some(Content { text, cut })) => {
                    left -= text.len().min(left);
                    context.warnings.extend(cut.map(|why| told_of(&place.path, &why)));
                    context.files.push(Told { path: place.path, text });
                }
                Err(why) => context.warnings.push(told_of(&place.path, &why.to_string())),
            }
        }
        context.files.reverse();
        context.warnings.reverse();
        context
    }

    /// The part of the agent's instructions that it makes; empty without files.
    pub(crate) fn section(&self) -> String {
        let files = self.files.iter().map(Told::section);
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

impl Told {
    /// The file under its heading.
    pub(crate) fn section(&self) -> String {
        format!("\n\n# {}\n\n{}", self.path.display(), self.text.trim_end())
    }
}

fn told_of(path: &Path, why: &str) -> String {
    format!("{}: {why}", path.display())
}

/// Whether instructions that were recorded have another context than this section.
pub(crate) fn differs(recorded: &str, section: &str) -> bool {
    let before = recorded.find(HEADING).and_then(|at| recorded.get(at..)).unwrap_or_default();
    before != section.trim_start()
}

#[cfg(test)]
mod tests;
