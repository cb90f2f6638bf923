//! The list of tasks that an agent keeps, as it is shown.

use legwork::capability::tasks::{TOOL, Task, TaskState};
use legwork::core::{ToolCall, ToolOutcome};
use serde::Deserialize;

use super::terminal::{Terminal, Tone};
use super::text::{one_line, wrapped};

#[derive(Deserialize)]
struct Written {
    tasks: Vec<Task>,
}

/// The list that a call wrote, a task a line; none if it wrote none.
pub(super) fn lines(
    call: &ToolCall,
    outcome: &ToolOutcome,
    terminal: Terminal,
) -> Option<Vec<String>> {
    if *call.name != *TOOL || !outcome.is_ok() {
        return None;
    }
    let Written { tasks } = serde_json::from_str(&call.arguments).ok()?;
    let line = |task: &Task| {
        let (mark, tone) = match task.state {
            TaskState::Done => ("[x]", Tone::Quiet),
            TaskState::InProgress => ("[>]", Tone::Strong),
            TaskState::Pending => ("[ ]", Tone::Quiet),
        };
        let text = wrapped(&format!("{mark} {}", one_line(&task.title)), terminal.columns, 4);
        let lines = text.lines().map(|line| terminal.paint(tone, line));
        lines.collect::<Vec<_>>().join("\n")
    };
    Some(tasks.iter().map(line).collect())
}

#[cfg(test)]
mod tests;
