//! The calls of a turn that are to be run, with all that it takes.

use std::collections::VecDeque;
use std::sync::Arc;

use legwork_core::state::{CallSlot, CallStatus, Pending, Waits};
use legwork_core::tool::{Deferral, ExecutionMode, FailureKind, RunsIn};
use legwork_core::{AgentState, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{Admission, AdmittedCall, Tool, unwind};
use legwork_toolset::StepTools;
use serde_json::Value;

use crate::context::StepContext;
use crate::error::Halt;
use crate::executor::holding::Holding;
use crate::executor::outcome::end_call;
use crate::services::{CallPolicy, SubagentCall, TurnSubagents};

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
    /// Whether it runs again after it waited: it has counted already.
    pub(super) again: bool,
    /// Whether it waited, and was answered.
    pub(super) answered: bool,
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

    /// Whether it runs alone.
    pub(super) fn is_barrier(&self, policy: CallPolicy) -> bool {
        let sequential = ExecutionMode::Sequential;
        policy.mode == sequential || self.spec.mode == sequential
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

    /// What its tool defers it to, although it was approved; nothing once that time has come.
    fn defers(&self, state: &AgentState) -> Option<Deferral> {
        let arguments = self.arguments.as_deref()?;
        let (call, shown, approved) = (&self.call, &self.call.name, true);
        let call = AdmittedCall { call, shown, arguments, state, approved };
        match unwind::call(|| self.tool.admit(&call)) {
            Ok(Admission::Defer(Deferral::Until(time))) if time <= state.now().wall => None,
            Ok(Admission::Defer(deferral)) => Some(deferral),
            _ => None,
        }
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

/// The calls of a turn that are not answered.
pub(super) struct Collected {
    /// Those that may run now, in call order.
    pub(super) jobs: VecDeque<Job>,
    /// Those that may not begin before others are answered.
    pub(super) held: VecDeque<Job>,
    /// Those that wait for an answer from now on.
    pub(super) waiting: Vec<Pending>,
    /// Whether others come when these have run: of what they hold is asked then.
    pub(super) more: bool,
}

/// The calls that are not answered, in call order; those whose tool is not there any more are
/// answered.
pub(super) async fn collect(
    mut state: AgentState,
    cx: &StepContext,
    shown: &StepTools,
) -> Result<(AgentState, Collected), Halt> {
    let step = state.execution().and_then(|execution| execution.current.clone());
    let count = step.as_ref().map_or(0, |step| step.calls.len());
    let (jobs, held, waiting) = (VecDeque::with_capacity(count), VecDeque::new(), Vec::new());
    let mut all = Collected { jobs, held, waiting, more: false };
    let mut holding = Holding::default();
    for (at, slot) in step.iter().flat_map(|step| step.calls.iter()).enumerate() {
        let index = u32::try_from(at).unwrap_or(u32::MAX);
        let pending = state.is_pending(at);
        let begun = match slot.status {
            CallStatus::Done(_) => continue,
            _ if pending => false,
            CallStatus::Started(effect) if effect.is_repeatable() => true,
            CallStatus::Started(_) => continue,
            CallStatus::Open if !state.is_judged_by(&cx.seal, index) => continue,
            CallStatus::Open | CallStatus::Ready => false,
        };
        let job = match job(&state, shown, index, slot, begun) {
            Ok(Some(job)) => job,
            Ok(None) | Err(_) if pending => continue,
            Ok(None) => continue,
            Err(outcome) => {
                state = end_call(state, cx, index, outcome).await?;
                continue;
            }
        };
        if !pending && slot.status == CallStatus::Open && !holding.waits() {
            let waits = state.judged(at).is_some_and(|judged| judged.waits.is_some());
            if !waits {
                all.jobs.push_back(job);
                continue;
            }
        }
        // A barrier may change which resource a call has that waits behind it.
        if all.jobs.iter().any(|job| job.is_barrier(cx.services.calls)) {
            all.more = true;
            break;
        }
        let is_barrier = job.is_barrier(cx.services.calls);
        let resource = || if is_barrier { None } else { job.resource() };
        let waits = match slot.status {
            _ if pending => None,
            CallStatus::Open => {
                state.judged(at).and_then(|judged| judged.waits.as_deref().cloned())
            }
            CallStatus::Ready if !slot.began => job.defers(&state).map(Waits::Deferred),
            _ => None,
        };
        if pending || waits.is_some() {
            holding.add(is_barrier, resource());
            all.waiting.extend(waits.and_then(|waits| state.as_waiting(index, waits)));
        } else if holding.waits() && holding.holds(is_barrier, resource()) {
            all.held.push_back(job);
        } else {
            all.jobs.push_back(job);
        }
    }
    Ok((state, all))
}

/// A call with all that it takes to run it; none if its tool is not there.
///
/// # Errors
/// The outcome that says why it cannot run.
fn job(
    state: &AgentState,
    shown: &StepTools,
    index: u32,
    slot: &CallSlot,
    begun: bool,
) -> Result<Option<Job>, ToolOutcome> {
    let (place, spec) = shown.find(state, &slot.call.name)?;
    let Some(tool) = shown.tool(place) else { return Ok(None) };
    // What was judged is void once somebody answered: the call has the arguments that it waited
    // with, or those that were approved.
    let judged = state.judged(index as usize).filter(|_| slot.status == CallStatus::Open);
    let judged_as = judged.and_then(|judged| judged.arguments.clone());
    // An intent of before may have changed them: each intent says all that it runs with.
    let changed = judged_as.or_else(|| slot.arguments.clone());
    let arguments = changed.as_ref().unwrap_or(&slot.call.arguments);
    let call = with_arguments(&slot.call, arguments);
    let known = judged.and_then(|judged| judged.value.clone());
    let arguments = known.or_else(|| call.parse().ok().map(Arc::new));
    let answered = slot.status == CallStatus::Ready;
    if answered {
        // A person may have written the arguments, or the tool may refuse by now what it did not.
        let known = arguments.as_deref().unwrap_or(&Value::Null);
        let (name, approved) = (&slot.call.name, true);
        let asked = AdmittedCall { call: &call, shown: name, arguments: known, state, approved };
        let fits = match changed.is_some() {
            true => shown.validate(place, known),
            false => Ok(()),
        };
        let invalid = |problem| ToolOutcome::Failed(FailureKind::InvalidArguments, problem);
        fits.map_err(invalid)?;
        match shown.admit(place, &asked).map_err(invalid)? {
            Admission::Invalid(problem) => return Err(invalid(problem)),
            Admission::Block { by, reason } => return Err(ToolOutcome::Blocked { by, reason }),
            _ => {}
        }
    }
    let (spec, tool, subagent) = (Arc::clone(spec), Arc::clone(tool), None);
    let again = slot.began && !begun;
    Ok(Some(Job { index, call, spec, tool, arguments, begun, again, answered, changed, subagent }))
}

fn with_arguments(call: &Arc<ToolCall>, arguments: &Arc<str>) -> Arc<ToolCall> {
    if *arguments == call.arguments {
        return Arc::clone(call);
    }
    Arc::new(ToolCall { arguments: Arc::clone(arguments), ..(**call).clone() })
}
