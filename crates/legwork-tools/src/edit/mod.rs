//! The `edit` tool: text of a file replaced by other text, all or nothing.

mod apply;
mod hint;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use apply::{COUNTED_MAX, Misfit, PLACES_MAX, Replacement, apply};
use legwork_port::core::tool::OnDoubt;
use legwork_port::core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext, Undo};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::changes::{Change, Version};
use crate::diff;
use crate::undo::FileUndo;
use crate::workspace::{self, Changed, Leave, Workspace, change};

/// Most bytes of a file that is edited, before and after.
pub(crate) const SIZE_MAX: usize = 10_000_000;

const DESCRIPTION: &str = "Replaces text in a file of the workspace. Each `old` must be in the \
    file exactly once, white space included, or have replace_all. Several edits are made in \
    order, each in what the one before left; when one does not fit, none is made. Answers with \
    a diff.";

/// Why a file was not edited; fit for a model to read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path could not be opened or changed.
    #[error(transparent)]
    Path(#[from] workspace::Error),
    /// The list of edits is empty.
    #[error("`edits` is empty; give at least one edit")]
    Nothing,
    /// The file is not text.
    #[error(
        "{path} is not a text file: {why}; nothing was changed; use a program made for its format"
    )]
    Binary {
        /// The path as it was asked for.
        path: String,
        /// What gave it away.
        why: &'static str,
    },
    /// The file is too large.
    #[error(
        "{path} has {bytes} bytes, and only files up to {SIZE_MAX} are edited; change it with a program, such as sed"
    )]
    TooBig {
        /// The path as it was asked for.
        path: String,
        /// How many bytes it has.
        bytes: u64,
    },
    /// One of the edits does not fit the file.
    #[error("edit {number} of {count} does not fit {path}: {why}; nothing was changed")]
    Misfit {
        /// The path as it was asked for.
        path: String,
        /// Which edit, from 1.
        number: usize,
        /// How many edits there are.
        count: usize,
        /// What does not fit, and what to do.
        why: String,
    },
}

/// What the model may ask for; the schema says the same.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    edits: Vec<Replacement>,
}

fn spec() -> ToolSpec {
    let edit = json!({
        "type": "object",
        "properties": {
            "old": {
                "type": "string",
                "minLength": 1,
                "description": "The text to replace, exactly as it is in the file."
            },
            "new": { "type": "string", "description": "The text to put in its place." },
            "replace_all": {
                "type": "boolean",
                "description": "Replace it wherever it is; false by default."
            }
        },
        "required": ["old", "new"],
        "additionalProperties": false
    });
    let parameters = json!({
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "Path of the file, relative to the root of the workspace."
            },
            "edits": { "type": "array", "minItems": 1, "items": edit }
        },
        "required": ["path", "edits"],
        "additionalProperties": false
    });
    // Not idempotent: where `new` holds `old`, as when a line is added below
    // another, a second run would find `old` again and add it twice. A person
    // need not be asked: the model can read the file and see.
    let effect = EffectClass::Once(OnDoubt::Tell);
    ToolSpec::new("edit", DESCRIPTION, parameters).effect(effect).resource("path")
}

/// Replaces text in files of a workspace.
#[derive(Clone, Debug)]
pub struct Edit {
    workspace: Workspace,
    spec: Arc<ToolSpec>,
    undo: FileUndo,
}

impl Edit {
    /// A tool that edits beneath one workspace and nowhere else.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        let undo = FileUndo::new(workspace.clone());
        Self { workspace, spec: Arc::new(spec()), undo }
    }
}

impl Tool for Edit {
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
            change(cx, move |leave| edited(&workspace, arguments, leave)).await
        })
    }

    fn resource(&self, arguments: &Value) -> Option<String> {
        self.workspace.resource(&self.spec, arguments)
    }

    fn undo(&self) -> Option<&dyn Undo> {
        Some(&self.undo)
    }
}

fn edited(workspace: &Workspace, asked: Arguments, leave: &Leave) -> Result<Changed, Error> {
    let Arguments { path, edits } = asked;
    if edits.is_empty() {
        return Err(Error::Nothing);
    }
    let place = workspace.place(&path)?;
    let limit = u64::try_from(SIZE_MAX).unwrap_or(u64::MAX);
    let current = place.current(limit)?.ok_or_else(|| place.nothing())?;
    place.check_changeable(&current)?;
    let Some(old) = &current.content else {
        return Err(Error::TooBig { path, bytes: current.size() });
    };
    if let Some(why) = binary(old) {
        return Err(Error::Binary { path, why });
    }
    let (new, places) = applied(&path, old, &edits)?;
    if *old == new {
        let text = format!("the edits undo one another: {path} stays as it is");
        return Ok(Changed::nothing(text));
    }
    place.replace(&current, &new, leave)?;
    let noun = if places == 1 { "place" } else { "places" };
    let text = diff::unified(&path, old, &new);
    let text = format!("edited {path}: {places} {noun} replaced\n{text}");
    let mode = Some(current.mode());
    let before = (Version::file(old, mode), Some(&**old));
    let after = (Version::file(&new, mode), Some(&*new));
    Ok(Changed::new(text, Change::between(place.shown(), Some(before), Some(after))))
}

fn applied(path: &str, old: &[u8], edits: &[Replacement]) -> Result<(Vec<u8>, usize), Error> {
    let (mut text, mut places) = (old.to_vec(), 0_usize);
    for (index, edit) in edits.iter().enumerate() {
        let (after, replaced) = apply(&text, edit).map_err(|misfit| Error::Misfit {
            path: path.to_owned(),
            number: index.saturating_add(1),
            count: edits.len(),
            why: reason(misfit, &text, old, edit),
        })?;
        text = after;
        places = places.saturating_add(replaced);
    }
    Ok((text, places))
}

fn reason(misfit: Misfit, text: &[u8], original: &[u8], edit: &Replacement) -> String {
    match misfit {
        Misfit::Empty => "`old` is empty; give the text to replace, or use `write`".to_owned(),
        Misfit::Same => "`old` and `new` are the same; give another `new`".to_owned(),
        Misfit::Absent if text.is_empty() => {
            "`old` was found 0 times, since the file is empty; use `write`".to_owned()
        }
        Misfit::Absent => {
            format!("`old` was found 0 times; {}", hint::of(text, original, edit).trim_end())
        }
        Misfit::Ambiguous { count, lines } => {
            let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
            let (more, count) = match count > COUNTED_MAX {
                true => ("more than ", COUNTED_MAX),
                false => ("", count),
            };
            let first = if count > lines.len() { "first " } else { "" };
            format!(
                "`old` was found {more}{count} times, {first}in lines {}; add lines around it until it is unique, or set replace_all",
                lines.join(", ")
            )
        }
        Misfit::TooMany => {
            format!("`old` is in more than {PLACES_MAX} places; use a program, such as sed")
        }
        Misfit::TooBig => {
            format!("the file would get larger than {SIZE_MAX} bytes; use a program, such as sed")
        }
    }
}

/// What gives a binary file away; none for a text, whatever its encoding.
pub(crate) fn binary(content: &[u8]) -> Option<&'static str> {
    if content.starts_with(&[0xff, 0xfe]) || content.starts_with(&[0xfe, 0xff]) {
        return Some("it looks like UTF-16");
    }
    memchr::memchr(0, content).map(|_| "it holds NUL bytes")
}
