//! A skill: a folder with a `SKILL.md`, in the open Agent Skills format.

mod arguments;
mod files;
mod read;
mod tool;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub use tool::AllowedTool;

use crate::file::{self, Links};
use crate::problem::Problem;
use crate::syntax::front_matter;

/// What the front matter of a skill says; its body and files are read when they are asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Skill {
    /// Its name, that of its folder.
    pub name: String,
    /// What it does and when to use it; 1 to 1024 characters.
    pub description: String,
    /// The name of its license, or of the file that holds it.
    pub license: Option<String>,
    /// What it needs of its surroundings; at most 500 characters.
    pub compatibility: Option<String>,
    /// The tools that it says it may use; none = it does not say.
    pub allowed_tools: Option<Vec<AllowedTool>>,
    /// The model that it is written for, as `provider:name`.
    pub model: Option<String>,
    /// The names of its arguments, in the order in which they are given.
    pub arguments: Vec<String>,
    /// Its metadata, and the fields of its front matter that nobody knows.
    pub metadata: BTreeMap<String, Value>,
    folder: PathBuf,
}

impl Skill {
    /// The name of the file that makes a folder a skill.
    pub const FILE: &str = "SKILL.md";

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its `SKILL.md`.
    pub fn file(&self) -> PathBuf {
        self.folder.join(Self::FILE)
    }

    /// Reads what it tells the model: its `SKILL.md` below the front matter, as it is now.
    ///
    /// # Errors
    /// If the file went away, is larger than 1 MiB or not UTF-8.
    pub fn body(&self) -> Result<String, Problem> {
        let file = self.file();
        let body = file::read(&file, Links::Refuse)
            .and_then(|text| Ok(front_matter::split(&text)?.body.into_owned()));
        body.map_err(|problem| problem.in_file(&file))
    }

    /// Reads its body and puts arguments into it.
    ///
    /// `$ARGUMENTS` becomes all of them as they are given, `$1` to `$9` one each, `$name` the one
    /// that is declared by that name. Arguments are separated by blanks; quotes, single or double,
    /// hold one together. A declared argument that is not given becomes empty; whatever else
    /// follows a `$` stays as it is, and so does what the arguments themselves hold.
    ///
    /// # Errors
    /// As [`body`](Self::body).
    pub fn render(&self, arguments: &str) -> Result<String, Problem> {
        Ok(arguments::fill(&self.body()?, &self.arguments, arguments))
    }

    /// The files that it brings, sorted, relative to its folder, without its `SKILL.md`.
    ///
    /// Hidden files and links are left out.
    ///
    /// # Errors
    /// If a folder cannot be read, lies deeper than 16 levels, or there are more than 10,000 files.
    pub fn files(&self) -> Result<Vec<PathBuf>, Problem> {
        files::list(&self.folder)
    }
}
