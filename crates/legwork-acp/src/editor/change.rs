//! The changes of files that a call made or would make, as diffs.

use legwork_core::metadata::Metadata;
use serde::Deserialize;
use serde_json::{Value, json};

/// The name of changes in the metadata of a result.
const METADATA: &str = "changes";

/// A change of one file, as tools record it.
#[derive(Deserialize)]
struct Change {
    path: String,
    /// What is known of it before; null if there was no file.
    before: Option<Value>,
    lines: Option<Lines>,
}

#[derive(Deserialize)]
struct Lines {
    /// Lines before those that differ.
    skipped: u64,
    before: String,
    after: String,
}

/// Diffs of what a call changed, with the place of each.
pub(super) fn changes(
    metadata: &Metadata,
    absolute: impl Fn(&str) -> String,
) -> (Vec<Value>, Vec<Value>) {
    let kept = metadata.get(METADATA).and_then(Value::as_array);
    let read = |kept: &Value| serde_json::from_value::<Change>(kept.clone()).ok();
    let (mut diffs, mut places) = (Vec::new(), Vec::new());
    for change in kept.into_iter().flatten().filter_map(read) {
        let Some(lines) = change.lines else { continue };
        let path = absolute(&change.path);
        places.push(json!({"path": path, "line": lines.skipped.saturating_add(1)}));
        let before = change.before.map(|_| lines.before);
        diffs.push(diff(&path, before.as_deref(), &lines.after));
    }
    (diffs, places)
}

/// Diffs of what a call would change in a file, by its arguments; `before` is the text of the
/// file, if it may be shown.
pub(super) fn proposed(
    arguments: &Value,
    before: impl Fn(&str) -> Option<String>,
    absolute: impl Fn(&str) -> String,
) -> Vec<Value> {
    let Some(path) = arguments.get("path").and_then(Value::as_str) else { return Vec::new() };
    if let Some(content) = arguments.get("content").and_then(Value::as_str) {
        return vec![diff(&absolute(path), before(path).as_deref(), content)];
    }
    let edits = arguments.get("edits").and_then(Value::as_array).into_iter().flatten();
    let edit = |edit: &Value| {
        let (old, new) = (edit.get("old")?.as_str()?, edit.get("new")?.as_str()?);
        Some(diff(&absolute(path), Some(old), new))
    };
    edits.filter_map(edit).collect()
}

fn diff(path: &str, before: Option<&str>, after: &str) -> Value {
    json!({"type": "diff", "path": path, "oldText": before, "newText": after})
}
