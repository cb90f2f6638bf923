//! What an editor asks for.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use super::ContentBlock;

/// A line of the editor: a request, a notification or an answer.
#[derive(Debug, Deserialize)]
pub(crate) struct Line {
    /// Its number or name; none of a notification. It is given back as it came.
    #[serde(default, deserialize_with = "present")]
    pub(crate) id: Option<Value>,
    pub(crate) method: Option<String>,
    #[serde(default)]
    pub(crate) params: Value,
    /// What came of a request of ours.
    #[serde(default, deserialize_with = "present")]
    pub(crate) result: Option<Value>,
    pub(crate) error: Option<Value>,
}

/// A field that is there, also where it is null.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Initialize {
    #[serde(default)]
    pub(crate) client_capabilities: ClientCapabilities,
}

/// What the editor can do.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ClientCapabilities {
    #[serde(default)]
    elicitation: Option<Elicitation>,
}

#[derive(Debug, Deserialize)]
struct Elicitation {
    #[serde(default)]
    form: Option<Value>,
}

impl ClientCapabilities {
    /// Whether it shows forms to fill in.
    pub(crate) fn has_forms(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|elicitation| elicitation.form.is_some())
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewSession {
    pub(crate) cwd: PathBuf,
    #[serde(default)]
    pub(crate) mcp_servers: Vec<McpServer>,
    #[serde(default)]
    pub(crate) additional_directories: Vec<PathBuf>,
}

/// `session/load` and `session/resume`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OldSession {
    pub(crate) session_id: String,
    #[serde(flatten)]
    pub(crate) place: NewSession,
}

#[derive(Debug, Deserialize)]
pub(crate) struct McpServer {
    pub(crate) name: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ListSessions {
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) cursor: Option<String>,
}

/// What only names a session: `session/cancel`, `session/close`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OneSession {
    pub(crate) session_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetMode {
    pub(crate) session_id: String,
    pub(crate) mode_id: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Prompt {
    pub(crate) session_id: String,
    pub(crate) prompt: Vec<ContentBlock>,
}
