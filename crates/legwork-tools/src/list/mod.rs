//! The `list` tool: what a directory of the workspace holds.

mod entries;

#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::sync::Arc;

use entries::{Listed, Window, collect, lines};
use legwork_port::core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
use serde::Deserialize;
use serde_json::json;

use crate::arguments::{answered, whole};
use crate::blocking::{self, Stop};
use crate::tree::{Rules, Tree, located};
use crate::workspace::{self, Workspace};

/// How many levels of directories one call may show.
const DEPTH_MAX: u64 = 10;

const DESCRIPTION: &str = "Lists a directory of the workspace, sorted: directories end with a \
    slash, symlinks show their target, files their size. Hidden and ignored entries are left \
    out unless all is true. One call shows at most 1,000 entries and says which offset goes on \
    from there.";

/// Why a directory was not listed; fit for a model to read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path could not be opened.
    #[error(transparent)]
    Path(#[from] workspace::Error),
    /// The directory holds fewer entries than were asked for.
    #[error(
        "offset={offset} is past the end of {path}, which has {entries} entries to this depth; use a smaller one"
    )]
    PastEnd {
        /// The path as it was asked for.
        path: String,
        /// The first entry that was asked for.
        offset: usize,
        /// How many entries there are.
        entries: usize,
    },
    /// Reading the directory failed.
    #[error("listing {path} failed: {source}; try again or do without it")]
    Io {
        /// The path as it was asked for.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
}

/// What the model may ask for; the schema says the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: Option<String>,
    #[serde(default, deserialize_with = "whole")]
    depth: Option<u64>,
    all: Option<bool>,
    #[serde(default, deserialize_with = "whole")]
    offset: Option<u64>,
}

fn spec() -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "Path of the directory, relative to the root of the workspace; \
                    the root when left out."
            },
            "depth": {
                "type": "integer",
                "minimum": 1,
                "maximum": DEPTH_MAX,
                "description": "How many levels of directories to show; 1 when left out."
            },
            "all": {
                "type": "boolean",
                "description": "Show hidden entries too, and those that .gitignore or .ignore \
                    leave out."
            },
            "offset": {
                "type": "integer",
                "minimum": 1,
                "description": "First entry to show, counted from 1."
            }
        },
        "additionalProperties": false
    });
    ToolSpec::new("list", DESCRIPTION, parameters).effect(EffectClass::ReadOnly)
}

/// Lists directories of a workspace; changes nothing.
#[derive(Clone, Debug)]
pub struct List {
    workspace: Workspace,
    spec: Arc<ToolSpec>,
}

impl List {
    /// A tool that lists beneath one workspace and nowhere else.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, spec: Arc::new(spec()) }
    }

    async fn listing(&self, asked: Arguments) -> Result<String, Error> {
        let path = asked.path.clone().unwrap_or_else(|| ".".to_owned());
        let workspace = self.workspace.clone();
        let done = blocking::run(move |stop| list(&workspace, &asked, stop)).await;
        done.map_err(|source| Error::Io { path, source })?
    }
}

impl Tool for List {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(answered(call, cx, |arguments| self.listing(arguments)))
    }
}

fn list(workspace: &Workspace, asked: &Arguments, stop: &Stop) -> Result<String, Error> {
    let path = asked.path.as_deref().unwrap_or(".");
    let failed = |source| Error::Io { path: path.to_owned(), source };
    let workspace = &workspace.home_of(path);
    let tree = Tree::open(workspace)?;
    let start = located(workspace, &workspace.open_dir(path)?, path);
    let rules = match asked.all {
        Some(true) => Rules::Off,
        _ => tree.rules_above(&start).map_err(failed)?,
    };
    let window = Window::new(asked.offset, asked.depth.unwrap_or(1).clamp(1, DEPTH_MAX));
    let listed = collect(&tree, &start, &rules, window, stop).map_err(failed)?;
    if listed.entries.is_empty() && listed.seen > 0 {
        let (offset, entries) = (window.first, listed.seen);
        return Err(Error::PastEnd { path: path.to_owned(), offset, entries });
    }
    let mut text = lines(&tree, &start, &listed.entries);
    text.push_str(&notes(&tree, &start, &listed, window));
    Ok(text)
}

/// What is to be known about a listing, one line each.
fn notes(tree: &Tree, start: &Path, listed: &Listed, window: Window) -> String {
    let Listed { entries, seen, more, left_out, unreadable } = listed;
    let mut notes = String::new();
    if *seen == 0 {
        let place =
            if start.as_os_str().is_empty() { "the workspace".into() } else { tree.shown(start) };
        notes.push_str(&format!("[{place} holds nothing to show]\n"));
    }
    let next = window.first.saturating_add(entries.len());
    let (first, last) = (window.first, next.saturating_sub(1));
    if *more {
        notes.push_str(&format!("[entries {first} to {last}; more follow, next: offset={next}]\n"));
    } else if first > 1 {
        notes.push_str(&format!("[end of the listing at entry {last}]\n"));
    }
    if *left_out > 0 {
        let left_out = format!("[{left_out} hidden or ignored left out; all=true shows them]\n");
        notes.push_str(&left_out);
    }
    if *unreadable > 0 {
        notes.push_str(&format!("[{unreadable} directories could not be read]\n"));
    }
    notes
}
