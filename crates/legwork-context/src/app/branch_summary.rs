//! What happened on a path of the conversation that was left.

use legwork_core::Part;
use legwork_port::{AppMessage, Profile};
use serde::{Deserialize, Serialize};

/// A summary of a path that was left, at the beginning of the new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchSummary {
    /// The summary.
    pub summary: String,
}

impl AppMessage for BranchSummary {
    const KIND: &'static str = "branch_summary";

    fn render(&self, _: &Profile) -> Option<Vec<Part>> {
        super::text(format!(
            "Another attempt went on from here and was left. This is its summary; files may still \
             be as it left them.\n\n{}",
            self.summary.trim()
        ))
    }
}
