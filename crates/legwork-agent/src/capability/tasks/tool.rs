//! The tool that writes and reads the list of tasks.

use std::sync::{Arc, LazyLock};

use legwork_core::tool::ExecutionMode;
use legwork_core::{AgentState, EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::undo::NothingOutside;
use legwork_port::{BoxFuture, Tool, ToolContext, Undo};
use serde::Deserialize;
use serde_json::{Value, json};

use super::list::{Task, Tasks, checked};
use crate::capability::writes::{self, Seen};

/// The name of the tool.
pub const TOOL: &str = "update_tasks";

const DESCRIPTION: &str = "Writes the list of tasks of this session and returns it.\n\
    Without `tasks` it only returns it. What is given takes the place of the whole list: give all \
    tasks, those that are done too, in the order of the work.";

static SPEC: LazyLock<Arc<ToolSpec>> = LazyLock::new(|| {
    let parameters = json!({
        "type": "object",
        "properties": {
            "tasks": {
                "type": "array",
                "description": "All tasks, at most 20; at most one is in_progress.",
                "items": {
                    "type": "object",
                    "properties": {
                        "title": {
                            "type": "string",
                            "description": "What is to be done, on one line."
                        },
                        "state": { "enum": ["pending", "in_progress", "done"] }
                    },
                    "required": ["title", "state"],
                    "additionalProperties": false
                }
            }
        },
        "additionalProperties": false
    });
    let spec = ToolSpec::new(TOOL, DESCRIPTION, parameters);
    // The list is made of the recorded call: running it again changes nothing more. It
    // runs alone, so that it sees what calls before it in the turn wrote.
    Arc::new(spec.effect(EffectClass::Idempotent).mode(ExecutionMode::Sequential))
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default)]
    tasks: Option<Vec<Task>>,
}

/// Checks what it is asked to write and shows the list; a hook keeps it.
#[derive(Default)]
pub(super) struct UpdateTasks(Seen<Option<Vec<Task>>>);

impl Tool for UpdateTasks {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&SPEC)
    }

    fn undo(&self) -> Option<&dyn Undo> {
        Some(&NothingOutside)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(std::future::ready(self.answer(call, cx)))
    }
}

impl UpdateTasks {
    fn answer(&self, call: &ToolCall, cx: &ToolContext) -> ToolOutcome {
        let list = match cx.arguments(call).map(|Arguments { tasks }| tasks) {
            Err(unfit) => return unfit,
            Ok(None) => self.seen(&cx.state, cx.key.index),
            Ok(Some(tasks)) => match checked(tasks) {
                Ok(tasks) => Tasks { tasks, ..Tasks::default() },
                Err(problem) => return ToolOutcome::Retry(problem),
            },
        };
        ToolOutcome::text(format!("{}\n{}", list.summary(), list.render()).trim_end())
    }

    /// The list as it is after the calls of the step under way before one of them.
    fn seen(&self, state: &AgentState, before: u32) -> Tasks {
        let tasks =
            self.0.before(before, state, &[TOOL], Default::default, |tasks, _, arguments| {
                if let Some(given) = given(arguments) {
                    *tasks = Some(given);
                }
            });
        tasks.map_or_else(|| Tasks::of(state), |tasks| of_step(state, tasks))
    }
}

/// The list that the step under way wrote, if it wrote one.
pub(super) fn written(state: &AgentState) -> Option<Tasks> {
    let calls = writes::of(state, &[TOOL]);
    let tasks = calls.into_iter().rev().find_map(|(_, arguments)| given(arguments))?;
    Some(of_step(state, tasks))
}

fn of_step(state: &AgentState, tasks: Vec<Task>) -> Tasks {
    let step = state.current_step().map_or(0, |step| step.number);
    Tasks { tasks, execution: state.facts().executions, step }
}

fn given(arguments: Value) -> Option<Vec<Task>> {
    let Arguments { tasks } = serde_json::from_value(arguments).ok()?;
    checked(tasks?).ok()
}
