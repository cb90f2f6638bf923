//! The `search` tool: lines of the workspace that match a pattern.

mod count;
mod excerpt;
mod files;
mod glob;
mod line;
mod run;
mod text;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;

use legwork_port::core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
use serde::Deserialize;
use serde_json::json;

use crate::arguments::{answered, whole};
use crate::blocking;
use crate::workspace::{self, Workspace};

/// Most lines shown before and after a match.
const CONTEXT_MAX: u64 = 20;
/// Most matches of one page, unless another number is asked for.
const LIMIT: u64 = 200;
/// The largest number that can be asked for.
const LIMIT_MAX: u64 = 2_000;

const DESCRIPTION: &str = "Searches the text files of the workspace for a regular expression, \
    line by line. Shows each file's path, then its matches as line:text and the lines around \
    them as line-text. Hidden files, binary files and what .gitignore or .ignore leaves out are \
    passed by, unless path names it. One call shows at most 100 KB and says which offset goes on \
    from there.";

/// Why nothing was searched; fit for a model to read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path could not be opened.
    #[error(transparent)]
    Path(#[from] workspace::Error),
    /// The pattern is not a regular expression, or not one for single lines.
    #[error(
        "the pattern cannot be used: {message}; correct it, or give literal=true to search for it as plain text of one line"
    )]
    Pattern {
        /// What is wrong with it.
        message: String,
    },
    /// A glob pattern is not valid.
    #[error("the glob cannot be used: {message}; write it like *.rs or src/**/*.{{ts,tsx}}")]
    Glob {
        /// What is wrong with it.
        message: String,
    },
    /// The path lies within the files of git.
    #[error("{path} is within .git, which is never searched; ask git itself")]
    Git {
        /// The path as it was asked for.
        path: String,
    },
    /// There are fewer matches than were asked for.
    #[error("offset={offset} is past the last of {found} matches; use a smaller one")]
    PastEnd {
        /// The first match that was asked for.
        offset: usize,
        /// How many there are.
        found: usize,
    },
    /// Searching failed half way.
    #[error("searching failed: {source}; try again or do without it")]
    Io {
        /// What the operating system said.
        #[from]
        source: io::Error,
    },
}

/// What the model may ask for; the schema says the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    #[serde(default)]
    literal: Option<bool>,
    path: Option<String>,
    glob: Option<glob::Asked>,
    #[serde(default, deserialize_with = "whole")]
    context: Option<u64>,
    ignore_case: Option<bool>,
    #[serde(default, deserialize_with = "whole")]
    limit: Option<u64>,
    #[serde(default, deserialize_with = "whole")]
    offset: Option<u64>,
    files_only: Option<bool>,
}

fn spec() -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {
            "pattern": {
                "type": "string",
                "description": "Regular expression as in Rust's regex crate: no look-around, no \
                    back-references. A match never spans lines."
            },
            "literal": { "type": "boolean", "description": "Take the pattern as plain text." },
            "path": {
                "type": "string",
                "description": "File or directory to search, relative to the root of the \
                    workspace; all of it when left out."
            },
            "glob": {
                "type": "string",
                "description": "Files to search, such as *.rs or src/**/*.{ts,tsx}; several are \
                    parted by commas, and one with ! leaves out. Matches at any depth; with a \
                    leading slash, from the root of the workspace."
            },
            "context": {
                "type": "integer",
                "minimum": 0,
                "maximum": CONTEXT_MAX,
                "description": "Lines to show before and after each match; 0 when left out."
            },
            "ignore_case": { "type": "boolean", "description": "Let A match a." },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": LIMIT_MAX,
                "description": format!("Most matches to show; {LIMIT} when left out.")
            },
            "offset": {
                "type": "integer",
                "minimum": 1,
                "description": "First match to show, counted from 1."
            },
            "files_only": {
                "type": "boolean",
                "description": "Show only the paths of files that match; limit and offset then \
                    count files."
            }
        },
        "required": ["pattern"],
        "additionalProperties": false
    });
    ToolSpec::new("search", DESCRIPTION, parameters).effect(EffectClass::ReadOnly)
}

/// Searches the files of a workspace; changes nothing.
#[derive(Clone, Debug)]
pub struct Search {
    workspace: Workspace,
    spec: Arc<ToolSpec>,
}

impl Search {
    /// A tool that searches beneath one workspace and nowhere else.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, spec: Arc::new(spec()) }
    }

    async fn found(&self, asked: Arguments) -> Result<String, Error> {
        let workspace = self.workspace.clone();
        blocking::run(move |stop| run::search(&workspace, &asked, stop)).await?
    }
}

impl Tool for Search {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(answered(call, cx, |arguments| self.found(arguments)))
    }
}
