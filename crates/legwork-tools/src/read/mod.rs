//! The `read` tool: a text file of the workspace, page by page.

mod page;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;

use legwork_port::core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
use page::{Binary, Excerpt, Page, Want};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use crate::arguments::{answered, whole};
use crate::workspace::{self, Workspace};

/// Bytes taken from a file at once.
const CHUNK: usize = 256 * 1024;

const DESCRIPTION: &str = "Reads a text file of the workspace. Each line comes with its number \
    and a tab, which are not part of the file. One call shows at most 2,000 lines or 50 KB and \
    says which offset goes on from there.";

/// Why a file was not read; fit for a model to read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path could not be opened.
    #[error(transparent)]
    Path(#[from] workspace::Error),
    /// The file is not text.
    #[error("{path} is not a text file: {why}; look at it with a program made for its format")]
    Binary {
        /// The path as it was asked for.
        path: String,
        /// What gave it away.
        why: &'static str,
    },
    /// The file has fewer lines than were asked for.
    #[error(
        "offset={offset} is past the end of {path}, which has {lines} lines; use a smaller one"
    )]
    PastEnd {
        /// The path as it was asked for.
        path: String,
        /// The first line that was asked for.
        offset: usize,
        /// How many lines there are.
        lines: usize,
    },
    /// Reading failed half way.
    #[error("reading {path} failed: {source}; try again or do without it")]
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
    path: String,
    #[serde(default, deserialize_with = "whole")]
    offset: Option<u64>,
    #[serde(default, deserialize_with = "whole")]
    limit: Option<u64>,
}

fn spec() -> ToolSpec {
    let parameters = json!({
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "Path of the file, relative to the root of the workspace."
            },
            "offset": {
                "type": "integer",
                "minimum": 1,
                "description": "First line to show, counted from 1."
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": page::LINES_MAX,
                "description": "Most lines to show."
            }
        },
        "required": ["path"],
        "additionalProperties": false
    });
    ToolSpec::new("read", DESCRIPTION, parameters).effect(EffectClass::ReadOnly).resource("path")
}

/// Reads text files of a workspace; changes nothing.
#[derive(Clone, Debug)]
pub struct Read {
    workspace: Workspace,
    spec: Arc<ToolSpec>,
}

impl Read {
    /// A tool that reads beneath one workspace and nowhere else.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, spec: Arc::new(spec()) }
    }

    /// One page of a file, in constant memory. Dropping the future stops it.
    async fn page(&self, asked: Arguments) -> Result<String, Error> {
        let Arguments { path, offset, limit } = asked;
        let failed = |source| Error::Io { path: path.clone(), source };
        let (workspace, place) = (self.workspace.clone(), path.clone());
        let opened = tokio::task::spawn_blocking(move || workspace.open_file(&place)).await;
        let mut file = tokio::fs::File::from_std(opened.map_err(|error| failed(error.into()))??);

        let mut page = Page::new(lines(offset, 1), lines(limit, page::LINES_MAX));
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = file.read(&mut chunk).await.map_err(failed)?;
            let read = chunk.get(..length).unwrap_or_default();
            if read.is_empty() || page.push(read) == Want::Nothing {
                break;
            }
        }
        match page.finish() {
            Ok(shown) => result_text(path, shown),
            Err(binary) => Err(Error::Binary { path, why: reason(binary) }),
        }
    }
}

impl Tool for Read {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(answered(call, cx, |arguments| self.page(arguments)))
    }

    fn resource(&self, arguments: &Value) -> Option<String> {
        self.workspace.resource(&self.spec, arguments)
    }
}

fn lines(asked: Option<u64>, default: usize) -> usize {
    asked.map_or(default, |asked| usize::try_from(asked).unwrap_or(usize::MAX))
}

fn result_text(path: String, shown: Excerpt) -> Result<String, Error> {
    let Excerpt { first, lines, replaced, more, marked, total, mut text } = shown;
    if lines == 0 && total == 0 && marked {
        return Ok(format!("[{path} holds nothing but a byte order mark]"));
    }
    if lines == 0 && total == 0 {
        return Ok(format!("[{path} is empty]"));
    }
    if lines == 0 {
        return Err(Error::PastEnd { path, offset: first, lines: total });
    }
    if replaced > 0 {
        text.push_str(&format!("[{replaced} places are not UTF-8 and are shown as \u{fffd}]\n"));
    }
    if marked {
        text.push_str("[a byte order mark comes before line 1; `edit` keeps it]\n");
    }
    let next = first.saturating_add(lines);
    if more {
        let last = next.saturating_sub(1);
        text.push_str(&format!("[lines {first} to {last}; more follow, next: offset={next}]\n"));
    } else if first > 1 {
        text.push_str(&format!("[end of the file at line {total}]\n"));
    }
    Ok(text)
}

fn reason(binary: Binary) -> &'static str {
    match binary {
        Binary::Nul => "it holds NUL bytes",
        Binary::Utf16 => "it looks like UTF-16, which `iconv -f UTF-16 -t UTF-8` makes readable",
        Binary::NotUtf8 => "much of it is not UTF-8",
    }
}
