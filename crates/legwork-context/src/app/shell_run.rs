//! A command that a person ran beside the conversation.

use legwork_core::Part;
use legwork_port::{AppMessage, Profile};
use serde::{Deserialize, Serialize};

/// A command that a person ran, with what it printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellRun {
    /// The command.
    pub command: String,
    /// What it printed.
    pub output: String,
    /// Its exit code; none if it was ended by a signal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// Whether a model reads it.
    pub in_context: bool,
}

impl AppMessage for ShellRun {
    const KIND: &'static str = "shell_run";

    fn render(&self, _: &Profile) -> Option<Vec<Part>> {
        if !self.in_context {
            return None;
        }
        let exit = match self.exit {
            Some(0) => String::new(),
            Some(code) => format!("\nIt exited with code {code}."),
            None => "\nIt was ended by a signal.".to_owned(),
        };
        let fence = "`".repeat(longest_run(&self.output).max(2) + 1);
        let output = self.output.trim_end();
        super::text(format!(
            "The user ran this command in a shell: {}\n{fence}\n{output}\n{fence}{exit}",
            self.command
        ))
    }
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}
