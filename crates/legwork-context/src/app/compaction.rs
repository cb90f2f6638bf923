//! The summary that stands in place of the beginning of the conversation.

use std::fmt::Write as _;
use std::sync::Arc;

use legwork_core::Part;
use legwork_core::event::Compacted;
use legwork_port::{AppMessage, Profile};
use serde::{Deserialize, Serialize};

/// A summary of the messages before it, which a model no longer reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// The summary.
    pub summary: String,
    /// The files that were read and not changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_read: Vec<Arc<str>>,
    /// The files that were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_changed: Vec<Arc<str>>,
    /// The tasks that were open, a line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_tasks: Vec<Arc<str>>,
}

impl Compaction {
    /// What an event of the journal says.
    pub fn of_event(compacted: &Compacted) -> Self {
        Self {
            summary: compacted.summary.clone(),
            files_read: compacted.files_read.clone(),
            files_changed: compacted.files_changed.clone(),
            open_tasks: compacted.open_tasks.clone(),
        }
    }
}

impl AppMessage for Compaction {
    const KIND: &'static str = "compaction";

    fn render(&self, _: &Profile) -> Option<Vec<Part>> {
        let mut text = format!(
            "The conversation before this message was summarised to save room, and its messages \
             are not shown any more, except those right after the summary.\n\n{}",
            self.summary.trim()
        );
        let lists = [
            ("Files that were changed", &self.files_changed),
            ("Files that were read", &self.files_read),
            ("Tasks that are open", &self.open_tasks),
        ];
        for (title, lines) in lists.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            let _ = write!(text, "\n\n{title}:");
            lines.iter().for_each(|line| text.extend(["\n- ", line]));
        }
        super::text(text)
    }
}
