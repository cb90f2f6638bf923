//! The list of tasks: what it holds, what fits, how it is shown.

use legwork_core::AgentState;
use serde::{Deserialize, Serialize};

use crate::describe::clean;

/// The key of the session's metadata that the list is kept under.
pub const KEY: &str = "legwork.tasks";
/// How many tasks a list holds at most.
pub const MOST: usize = 20;
/// How many characters a title has at most.
pub const TITLE: usize = 200;

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Nobody works on it yet.
    #[default]
    Pending,
    /// It is being worked on; at most one is.
    InProgress,
    /// It is done.
    Done,
}

/// One task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// What is to be done, on one line.
    pub title: String,
    /// How far it is.
    #[serde(default)]
    pub state: TaskState,
}

/// A list of tasks, as the session's metadata hold it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tasks {
    /// The tasks, in the order in which they are to be done.
    pub tasks: Vec<Task>,
    /// The execution that wrote the list last; the first of a session is 1.
    #[serde(default)]
    pub execution: u64,
    /// The step of that execution.
    #[serde(default)]
    pub step: u32,
}

impl Tasks {
    /// The list of a session; empty if it has none, or what is kept there is none.
    pub fn of(state: &AgentState) -> Self {
        let kept = state.context().metadata.get(KEY);
        kept.and_then(|kept| Self::deserialize(kept).ok()).unwrap_or_default()
    }

    /// The tasks that are not done.
    pub fn open(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().filter(|task| task.state != TaskState::Done)
    }

    /// The tasks for people and models, a line each: `[ ]` pending, `[~]` in progress,
    /// `[x]` done. Titles hold no control characters.
    pub fn render(&self) -> String {
        let lines: Vec<_> = self.tasks.iter().map(line).collect();
        lines.join("\n")
    }

    /// How many are done, in words.
    pub fn summary(&self) -> String {
        let (all, open) = (self.tasks.len(), self.open().count());
        match (all, open) {
            (0, _) => "There are no tasks.".to_owned(),
            (1, 0) => "The task is done.".to_owned(),
            (_, 0) => format!("All {all} tasks are done."),
            _ => format!("{} of {all} tasks {} done.", all - open, verb(all - open)),
        }
    }
}

fn verb(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

pub(super) fn line(task: &Task) -> String {
    let mark = match task.state {
        TaskState::Pending => "[ ]",
        TaskState::InProgress => "[~]",
        TaskState::Done => "[x]",
    };
    format!("{mark} {}", clean(&task.title))
}

/// The tasks as they are kept: titles on one line.
///
/// # Errors
/// What does not fit and what to do, in words for the model.
pub(super) fn checked(tasks: Vec<Task>) -> Result<Vec<Task>, String> {
    if tasks.len() > MOST {
        return Err(format!(
            "There are {} tasks, and a list holds {MOST}: join small ones, or leave out those that \
             are done.",
            tasks.len()
        ));
    }
    let tidy = |task: Task| Task { title: clean(&task.title).trim().to_owned(), ..task };
    let tasks: Vec<_> = tasks.into_iter().map(tidy).collect();
    for (number, task) in (1..).zip(&tasks) {
        let length = task.title.chars().count();
        if length == 0 {
            return Err(format!("Task {number} has no title: say what is to be done."));
        }
        if length > TITLE {
            return Err(format!(
                "The title of task {number} has {length} characters, and {TITLE} fit: say it \
                 shorter, or split the task."
            ));
        }
    }
    let doing: Vec<_> =
        (1..).zip(&tasks).filter(|(_, t)| t.state == TaskState::InProgress).collect();
    if doing.len() > 1 {
        let numbers: Vec<_> = doing.iter().map(|(number, _)| number.to_string()).collect();
        return Err(format!(
            "Tasks {} are all in_progress, and one at most may be: keep the one that you work on, \
             set the others to pending or done.",
            numbers.join(", ")
        ));
    }
    Ok(tasks)
}
