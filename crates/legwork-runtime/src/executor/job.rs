//! The calls of a turn that are to be run, with all that it takes.

use std::collections::VecDeque;
use std::sync::Arc;

use legwork_core::state::CallStatus;
use legwork_core::tool::RunsIn;
use legwork_core::{AgentState, ToolCall, ToolSpec};
use legwork_port::{Tool, unwind};
use legwork_toolset::StepTools;
use serde_json::Value;

use crate::context::StepContext;
use crate::error::Halt;
use crate::executor::outcome::end_call;
use crate::services::{SubagentCall, TurnSubagents};

/// A call to be run, with all that it takes.
pub(super) struct Job {
    pub(super) index: u32,
    pub(super) call: Arc<ToolCall>,
    pub(super) spec: Arc<ToolSpec>,
    pub(super) tool: Arc<dyn Tool>,
    /// The arguments as they were judged; parsed anew for a call that began under another run.
    pub(super) arguments: Option<Arc<Value>>,
    /// Whether it began under another run, and its intent stands.
    pub(super) begun: bool,
    /// Whether a person said that it shall run again: it has counted already.
    pub(super) again: bool,
    /// The arguments, if they are not the model's.
    pub(super) changed: Option<Arc<str>>,
    /// Its subagent, with what that may use.
    pub(super) subagent: Option<Box<dyn SubagentCall>>,
}

impl Job {
    /// Whether it is one more call.
    pub(super) fn is_fresh(&self) -> bool {
        !self.begun && !self.again
    }

    /// What it works on now, if its tool names that: calls on one thing never interleave.
    ///
    /// Earlier calls may change which thing a name leads to, so it is asked for each batch.
    pub(super) fn resource(&self) -> Option<String> {
        self.spec.resource.as_ref()?;
        let arguments = self.arguments.as_ref()?;
        let asked = unwind::call(|| self.tool.resource(arguments));
        asked.unwrap_or_else(|_| self.spec.resource_of(arguments))
    }

    /// Finds the subagent that it asks for and takes what that may use.
    pub(super) fn grant_from(
        &mut self,
        turn: Option<&dyn TurnSubagents>,
        state: &AgentState,
        cx: &StepContext,
    ) {
        if self.spec.runs_in == RunsIn::OwnSession {
            self.subagent =
                turn.and_then(|turn| turn.grant(state, cx.caller(), self.index, &self.call));
        }
    }
}

/// The calls that may run now, in call order; those whose tool is not there any more are
/// answered.
pub(super) async fn collect(
    mut state: AgentState,
    cx: &StepContext,
    shown: &StepTools,
) -> Result<(AgentState, VecDeque<Job>), Halt> {
    let step = state.execution().and_then(|execution| execution.current.clone());
    let count = step.as_ref().map_or(0, |step| step.calls.len());
    let mut jobs = VecDeque::with_capacity(count);
    for (at, slot) in step.iter().flat_map(|step| step.calls.iter()).enumerate() {
        let index = u32::try_from(at).unwrap_or(u32::MAX);
        let begun = match slot.status {
            CallStatus::Done(_) => continue,
            CallStatus::Started(effect) if effect.is_repeatable() => true,
            CallStatus::Started(_) => continue,
            CallStatus::Open if !state.is_judged_by(&cx.seal, index) => continue,
            CallStatus::Open | CallStatus::Ready => false,
        };
        let (place, spec) = match shown.find(&state, &slot.call.name) {
            Ok(found) => found,
            Err(outcome) => {
                state = end_call(state, cx, index, outcome).await?;
                continue;
            }
        };
        let Some(tool) = shown.tool(place) else { continue };
        let judged = state.judged(at);
        let judged_as = judged.and_then(|judged| judged.arguments.clone());
        // An intent of before may have changed them: each intent says all that it runs with.
        let changed = judged_as.or_else(|| slot.arguments.clone());
        let arguments = changed.as_ref().unwrap_or(&slot.call.arguments);
        let call = with_arguments(&slot.call, arguments);
        let known = judged.and_then(|judged| judged.value.clone());
        let arguments = known.or_else(|| call.parse().ok().map(Arc::new));
        let (spec, tool, subagent) = (Arc::clone(spec), Arc::clone(tool), None);
        let again = slot.status == CallStatus::Ready;
        jobs.push_back(Job { index, call, spec, tool, arguments, begun, again, changed, subagent });
    }
    Ok((state, jobs))
}

fn with_arguments(call: &Arc<ToolCall>, arguments: &Arc<str>) -> Arc<ToolCall> {
    if *arguments == call.arguments {
        return Arc::clone(call);
    }
    Arc::new(ToolCall { arguments: Arc::clone(arguments), ..(**call).clone() })
}
