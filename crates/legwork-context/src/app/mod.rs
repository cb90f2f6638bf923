//! The kinds of messages of programs that ship.

mod branch_summary;
mod compaction;
mod file_change;
mod note;
mod shell_run;

pub use branch_summary::BranchSummary;
pub use compaction::Compaction;
pub use file_change::FileChange;
pub use note::Note;
pub use shell_run::ShellRun;

use legwork_core::Part;

/// One part of text.
fn text(text: String) -> Option<Vec<Part>> {
    Some(vec![Part::text(text)])
}
