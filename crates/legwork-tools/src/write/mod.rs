//! The `write` tool: a whole file, new or in the place of another.

use std::sync::Arc;

use legwork_port::core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext, Undo};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::changes::{Change, Version};
use crate::diff::{count_lines, unified};
use crate::edit::{SIZE_MAX, binary};
use crate::undo::FileUndo;
use crate::workspace::{self, Changed, Current, Leave, Workspace, change};

const DESCRIPTION: &str = "Creates a text file of the workspace with this content, and the folders \
    that are missing. A file that holds something else is left alone unless overwrite is true; \
    to change parts of one, use `edit`.";

/// Why a file was not written; fit for a model to read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path could not be opened or changed.
    #[error(transparent)]
    Path(#[from] workspace::Error),
    /// There is a file with other content.
    #[error(
        "{path} exists and holds something else ({bytes} bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it"
    )]
    Exists {
        /// The path as it was asked for.
        path: String,
        /// How many bytes the file has.
        bytes: u64,
    },
}

/// What the model may ask for; the schema says the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    content: String,
    #[serde(default)]
    overwrite: Option<bool>,
}

fn spec() -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "Path of the file, relative to the root of the workspace."
            },
            "content": { "type": "string", "description": "The whole content of the file." },
            "overwrite": {
                "type": "boolean",
                "description": "Replace a file that holds something else; false by default."
            }
        },
        "required": ["path", "content"],
        "additionalProperties": false
    });
    // A second run finds the content that the first one left, and changes nothing.
    let effect = EffectClass::Idempotent;
    ToolSpec::new("write", DESCRIPTION, parameters).effect(effect).resource("path")
}

/// Writes whole files of a workspace.
#[derive(Clone, Debug)]
pub struct Write {
    workspace: Workspace,
    spec: Arc<ToolSpec>,
    undo: FileUndo,
}

impl Write {
    /// A tool that writes beneath one workspace and nowhere else.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        let undo = FileUndo::new(workspace.clone());
        Self { workspace, spec: Arc::new(spec()), undo }
    }
}

impl Tool for Write {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async {
            let arguments: Arguments = match cx.arguments(call) {
                Ok(arguments) => arguments,
                Err(outcome) => return outcome,
            };
            let workspace = self.workspace.clone();
            change(cx, move |leave| written(&workspace, arguments, leave)).await
        })
    }

    fn resource(&self, arguments: &Value) -> Option<String> {
        self.workspace.resource(&self.spec, arguments)
    }

    fn undo(&self) -> Option<&dyn Undo> {
        Some(&self.undo)
    }
}

fn written(workspace: &Workspace, asked: Arguments, leave: &Leave) -> Result<Changed, Error> {
    let Arguments { path, content, overwrite } = asked;
    let new = content.as_bytes();
    let place = workspace.place(&path)?;
    let limit = u64::try_from(new.len().max(SIZE_MAX)).unwrap_or(u64::MAX);
    let size = sized(new);
    let Some(current) = place.current(limit)? else {
        let after = (Version::file(new, None), Some(new));
        let change = Change::between(place.shown(), None, Some(after));
        let change = change.with_folders(place.create(new, leave)?);
        return Ok(Changed::new(format!("created {path}: {size}"), change));
    };
    if current.content.as_deref() == Some(new) {
        let text = format!("{path} holds exactly this already: {size}; nothing was changed");
        return Ok(Changed::nothing(text));
    }
    if !overwrite.unwrap_or(false) {
        return Err(Error::Exists { path, bytes: current.size() });
    }
    place.replace(&current, new, leave)?;
    let mode = Some(current.mode());
    let before = match &current.content {
        Some(old) => (Version::file(old, mode), Some(&**old)),
        None => (Version::unread(current.size(), mode), None),
    };
    let after = (Version::file(new, mode), Some(new));
    let change = Change::between(place.shown(), Some(before), Some(after));
    let text = format!("overwrote {path}: {size}\n{}", difference(&path, &current, new));
    Ok(Changed::new(text, change))
}

fn difference(path: &str, current: &Current, new: &[u8]) -> String {
    match &current.content {
        Some(old) if binary(old).or_else(|| binary(new)).is_none() => unified(path, old, new),
        _ => format!("[it had {} bytes; they are not shown]\n", current.size()),
    }
}

fn sized(content: &[u8]) -> String {
    let noun = |count: usize, noun: &str| match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    };
    format!("{}, {}", noun(content.len(), "byte"), noun(count_lines(content), "line"))
}
