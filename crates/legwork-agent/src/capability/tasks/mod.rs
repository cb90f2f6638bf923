//! The capability that gives an agent a list of tasks.

mod list;
mod reminder;
mod tool;

use std::sync::Arc;

use legwork_core::AgentState;
use legwork_lifecycle::hooks::{self, hook, priority};
use legwork_port::Trigger;
use serde_json::Value;

pub use list::{KEY, MOST, TITLE, Task, TaskState, Tasks};
pub use tool::TOOL;

use crate::agent::builder::Builder;
use crate::capability::{Capability, Fields, Resolved};

/// Gives an agent a list of tasks that the model keeps: at most 20, at most one of them in
/// progress.
///
/// The list is part of the session: it lies in the metadata under `legwork.tasks`, put there
/// at the end of the step that wrote it, and [`Tasks::of`] reads it of any state. What the
/// model did not touch for some steps it is reminded of, in the request alone.
///
/// From settings: `remind_after`, a number of steps; 0 = never.
///
/// ```
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use legwork_agent::{Agent, capability::{TaskList, Tasks}};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), legwork_agent::Error> {
/// # let tasks = serde_json::json!({"tasks": [{"title": "Look around", "state": "in_progress"}]});
/// # let model = ScriptedModel::new([Turn::call("update_tasks", tasks), Turn::text("begun")]);
/// let agent = Agent::builder(model).capability(TaskList::new()).build()?;
/// let run = agent.run("Look around.").await?;
/// assert_eq!(Tasks::of(run.state()).render(), "[~] Look around");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TaskList {
    remind_after: u32,
}

impl Default for TaskList {
    fn default() -> Self {
        Self { remind_after: 5 }
    }
}

impl TaskList {
    /// A list of tasks, with a reminder after 5 steps without it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reminds the model after so many steps in which it did not touch the list, and again
    /// after as many; 0 = never.
    #[must_use]
    pub fn remind_after(self, steps: u32) -> Self {
        Self { remind_after: steps }
    }

    /// The list of settings.
    ///
    /// # Errors
    /// The field that does not fit, and what it takes.
    pub fn from_settings(settings: &Value) -> Result<Self, String> {
        let mut fields = Fields::of(settings)?;
        let read = |value: &Value| u32::try_from(value.as_u64()?).ok();
        let takes = "a number of steps, 0 for never";
        let remind_after = fields.take("remind_after", takes, read)?;
        fields.done()?;
        Ok(remind_after.map_or_else(Self::new, |steps| Self::new().remind_after(steps)))
    }
}

/// What it gives an agent.
pub(super) const ABOUT: &str =
    "A list of at most 20 tasks that the model keeps and is reminded of.";

/// The hook that keeps the list.
const KEEPS: &str = "tasks.keep";
/// The hook that reminds of it.
const REMINDS: &str = "tasks.remind";

impl Capability for TaskList {
    fn name(&self) -> &str {
        "tasks"
    }

    fn about(&self) -> &str {
        ABOUT
    }

    fn install(&self, builder: Builder) -> Builder {
        let keep = hook(KEEPS, [Trigger::StepEnd], |state, _| async { keep(state) });
        let after = self.remind_after;
        let remind = hook(REMINDS, [Trigger::BeforeInference], move |state, _| async move {
            Ok(reminder::remind(state, after))
        });
        // A subagent has the tool of its parent, and so needs the hooks.
        let builder = builder
            .in_place_of_tools(vec![Arc::new(tool::UpdateTasks::default())])
            .without_hook(KEEPS)
            .without_hook(REMINDS)
            .hook(keep.priority(priority::CONTEXT).inherited());
        match after {
            0 => builder,
            _ => builder.hook(remind.priority(priority::CONTEXT).inherited()),
        }
    }

    fn section(&self, agent: &Resolved<'_>) -> Option<String> {
        agent.has_tool(TOOL).then(|| {
            format!(
                "Keep a list of tasks with `{TOOL}` where the work takes several steps: write it \
                 before you begin, have one task in progress, and set it to done when it is."
            )
        })
    }
}

/// Puts what the step wrote into the metadata of the session.
fn keep(state: AgentState) -> Result<AgentState, hooks::Error> {
    let Some(list) = tool::written(&state) else { return Ok(state) };
    if Tasks::of(&state) == list {
        return Ok(state);
    }
    let value =
        serde_json::to_value(&list).map_err(|error| hooks::Error::new(error.to_string()))?;
    Ok(state.with_metadata(KEY, Some(value)))
}
