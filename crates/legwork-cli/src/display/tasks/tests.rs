//! A list is shown for what it is.

use legwork::core::{ToolCall, ToolOutcome};
use serde_json::json;

use super::lines;
use crate::display::Terminal;

#[test]
fn each_task_has_its_line_and_its_state() {
    let terminal = Terminal { columns: 20, colour: false, ..Terminal::detect() };
    let tasks = json!({"tasks": [
        {"title": "Find the bug", "state": "done"},
        {"title": "Fix the bug that was found", "state": "in_progress"},
        {"title": "Tell", "state": "pending"},
    ]});
    let call = ToolCall::new("1", "update_tasks", tasks.to_string());
    let shown = lines(&call, &ToolOutcome::text("ok"), terminal).unwrap();
    assert_eq!(shown, ["[x] Find the bug", "[>] Fix the bug that\n    was found", "[ ] Tell"]);
    assert_eq!(lines(&call, &ToolOutcome::failed("no"), terminal), None);
    let reads = ToolCall::new("1", "update_tasks", "{}");
    assert_eq!(lines(&reads, &ToolOutcome::text("ok"), terminal), None);
}
