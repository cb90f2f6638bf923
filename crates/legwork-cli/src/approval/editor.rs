//! Changing the arguments of a call in the person's editor.

use std::io::Write as _;
use std::process::Command;

use serde_json::Value;

use crate::settings::variable;

/// The arguments as the person left them; none if they are the same.
///
/// # Errors
/// Why there are none, in words for the person.
pub(super) async fn edited(arguments: &str) -> Result<Option<Value>, String> {
    let before: Value = serde_json::from_str(arguments).unwrap_or_default();
    let text = format!("{before:#}\n");
    let edited = tokio::task::spawn_blocking(move || opened(&text)).await;
    let text = edited.map_err(|error| error.to_string())??;
    let after: Value = serde_json::from_str(&text)
        .map_err(|error| format!("what you wrote is no JSON: {error}"))?;
    match &after {
        _ if after == before => Ok(None),
        Value::Object(_) => Ok(Some(after)),
        _ => Err("the arguments have to be a JSON object".to_owned()),
    }
}

/// What a file of this text holds once the editor was closed.
fn opened(text: &str) -> Result<String, String> {
    let cannot = |error: std::io::Error| format!("the editor cannot be opened: {error}");
    let editor = ["VISUAL", "EDITOR"].into_iter().find_map(variable);
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    let mut file = tempfile::Builder::new().suffix(".json").tempfile().map_err(cannot)?;
    file.write_all(text.as_bytes()).map_err(cannot)?;
    // As Git does: the variable may hold arguments.
    let script = format!("{editor} \"$1\"");
    let mut command = Command::new("sh");
    let status = command.args(["-c", &script, "sh"]).arg(file.path()).status().map_err(cannot)?;
    if !status.success() {
        return Err(format!("the editor ended with {status}: nothing was changed"));
    }
    std::fs::read_to_string(file.path()).map_err(cannot)
}
