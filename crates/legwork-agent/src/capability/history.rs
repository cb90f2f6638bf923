//! The capability that keeps what became of past executions.

use legwork_core::budget::MicroUsd;
use legwork_core::{AgentState, ExecutionStatus, StopReason, Timestamp};
use legwork_lifecycle::hooks::{self, hook, priority};
use legwork_port::Trigger;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::builder::Builder;
use crate::capability::{Capability, Fields};

/// Keeps a short record of each execution of a session, the latest 20 by default.
///
/// The records are part of the session: they lie in the metadata under `legwork.history`,
/// oldest first, and [`ExecutionHistory::of`] reads them of any state. An execution that
/// is reopened after a limit was raised has one record, the last.
///
/// From settings: `keep`, how many records are kept, 1 to 1000.
///
/// ```
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use legwork_agent::{Agent, capability::ExecutionHistory};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), legwork_agent::Error> {
/// # let model = ScriptedModel::new([Turn::text("hello")]);
/// let agent = Agent::builder(model).capability(ExecutionHistory::new()).build()?;
/// let run = agent.run("hi").await?;
/// let [past] = &ExecutionHistory::of(run.state())[..] else { unreachable!() };
/// assert_eq!((past.status.as_str(), past.steps), ("completed", 1));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ExecutionHistory {
    keep: usize,
}

/// How one execution went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Past {
    /// Its number in the session; the first is 1.
    pub execution: u64,
    /// How it ended.
    pub status: ExecutionStatus,
    /// Why.
    pub reason: Option<StopReason>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub completed_at: Timestamp,
    /// How many steps it made.
    pub steps: u64,
    /// How many tool calls began.
    pub tool_calls: u64,
    /// Input tokens that it used.
    pub input_tokens: u64,
    /// Output tokens that it used.
    pub output_tokens: u64,
    /// Money that it used, in millionths of a US dollar.
    pub cost: MicroUsd,
}

impl Default for ExecutionHistory {
    fn default() -> Self {
        Self { keep: 20 }
    }
}

impl ExecutionHistory {
    /// The key of the session's metadata that the records are kept under.
    pub const KEY: &'static str = "legwork.history";

    /// The latest 20 executions.
    pub fn new() -> Self {
        Self::default()
    }

    /// The latest so many executions, one at least.
    #[must_use]
    pub fn keep(self, executions: usize) -> Self {
        Self { keep: executions.max(1) }
    }

    /// The history of settings.
    ///
    /// # Errors
    /// The field that does not fit, and what it takes.
    pub fn from_settings(settings: &Value) -> Result<Self, String> {
        let mut fields = Fields::of(settings)?;
        let read = |value: &Value| usize::try_from(value.as_u64()?).ok();
        let keep = fields.take("keep", "a whole number from 1 to 1000", |value| {
            read(value).filter(|keep| (1..=1000).contains(keep))
        })?;
        fields.done()?;
        Ok(keep.map_or_else(Self::new, |keep| Self::new().keep(keep)))
    }

    /// The records of a session, oldest first; empty if it has none, or what is kept there
    /// are none.
    pub fn of(state: &AgentState) -> Vec<Past> {
        let kept = state.context().metadata.get(Self::KEY);
        kept.and_then(|kept| Vec::deserialize(kept).ok()).unwrap_or_default()
    }
}

/// What it gives an agent.
pub(super) const ABOUT: &str =
    "A short record of past executions of the session, for people and programs.";

/// The name of the capability and its hook.
const NAME: &str = "history";

impl Capability for ExecutionHistory {
    fn name(&self) -> &str {
        NAME
    }

    fn about(&self) -> &str {
        ABOUT
    }

    fn install(&self, builder: Builder) -> Builder {
        let keep = self.keep;
        let record =
            hook(NAME, [Trigger::ExecutionEnd], move |state, _| async move { record(state, keep) });
        builder.hook(record.priority(priority::HISTORY))
    }
}

/// Adds the record of the execution that ended, in the place of one that it has.
fn record(state: AgentState, keep: usize) -> Result<AgentState, hooks::Error> {
    let Some(past) = past(&state) else { return Ok(state) };
    let mut all = ExecutionHistory::of(&state);
    all.retain(|known| known.execution != past.execution);
    all.push(past);
    let surplus = all.len().saturating_sub(keep);
    all.drain(..surplus);
    let value = serde_json::to_value(&all).map_err(|error| hooks::Error::new(error.to_string()))?;
    Ok(state.with_metadata(ExecutionHistory::KEY, Some(value)))
}

fn past(state: &AgentState) -> Option<Past> {
    let (execution, used) = (state.execution()?, state.used());
    Some(Past {
        execution: state.facts().executions,
        status: execution.status.clone(),
        reason: state.stop_reason().cloned(),
        started_at: execution.started_at,
        completed_at: execution.completed_at.unwrap_or_else(|| state.now().wall),
        steps: used.steps,
        tool_calls: used.tool_calls,
        input_tokens: used.input,
        output_tokens: used.output,
        cost: used.cost,
    })
}
