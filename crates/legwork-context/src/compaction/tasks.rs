//! The open tasks of a conversation, which a summary carries along.

use std::sync::Arc;

use legwork_core::AgentState;
use serde_json::Value;

/// The name under which the metadata of a conversation hold its list of tasks.
const KEY: &str = "legwork.tasks";

/// The tasks that are not done, a line each; none if the conversation has no list of tasks.
///
/// The list is the one that the capability `tasks` keeps: `{"tasks": [{"title", "state"}]}`.
pub fn open_tasks(state: &AgentState) -> Vec<Arc<str>> {
    let list = state.context().metadata.get(KEY).and_then(|list| list.get("tasks"));
    let tasks = list.and_then(Value::as_array).into_iter().flatten();
    let line = |task: &Value| {
        let title = task.get("title")?.as_str()?;
        match task.get("state").and_then(Value::as_str) {
            Some("done") => None,
            Some("in_progress") => Some(format!("{title} (in progress)").into()),
            _ => Some(title.into()),
        }
    };
    tasks.filter_map(line).collect()
}
