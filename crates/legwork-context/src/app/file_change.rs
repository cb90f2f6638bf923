//! A file that changed outside of the conversation.

use legwork_core::Part;
use legwork_port::{AppMessage, Profile};
use serde::{Deserialize, Serialize};

/// A file that a person or another program changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The path, as tools name it.
    pub path: String,
    /// Who changed it, in words; none = the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The change as a patch, if a model is to read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Whether the file is gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_removed: bool,
}

impl AppMessage for FileChange {
    const KIND: &'static str = "file_change";

    fn render(&self, _: &Profile) -> Option<Vec<Part>> {
        let by = self.by.as_deref().unwrap_or("the user");
        let what = if self.is_removed { "removed" } else { "changed" };
        let head =
            format!("{} was {what} by {by}; what was read of it before is out of date.", self.path);
        super::text(match &self.patch {
            Some(patch) => format!("{head}\n{}", patch.trim_end()),
            None => head,
        })
    }
}
