//! Which calls may run: names, arguments, limits and hooks, before any runs.

use std::sync::Arc;

use legwork_core::budget::Exhausted;
use legwork_core::continuation::forbids_calls;
use legwork_core::state::{CallStatus, CallVerdict, CurrentToolCall, Judged, Waits};
use legwork_core::tool::{Deferral, FailureKind, OnBlock};
use legwork_core::{AgentState, StopReason, StopSignal, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{Admission, AdmittedCall, Trigger};
use legwork_toolset::StepTools;
use serde_json::Value;

use crate::context::StepContext;
use crate::error::Halt;

/// Judges each open call, in call order; those that may not run are answered here.
pub(crate) async fn judge(state: AgentState, cx: &StepContext) -> Result<AgentState, Halt> {
    // Of an execution that was stopped no call runs, whatever the tools are.
    if let Some(why) = why_stopped(&state) {
        return Ok(skip(state, cx, &why));
    }
    let Some(shown) = cx.unless_raised(cx.toolbox().shown(&state)).await else {
        return Ok(state);
    };
    let mut state = check_batch(state, cx);
    for (index, call) in unjudged(&state, cx).collect::<Vec<_>>() {
        if cx.control.is_raised() {
            return Ok(state);
        }
        if let Some(why) = why_stopped(&state).or_else(|| why_blocked(&state, cx, index)) {
            state = cx.answer(state, index, ToolOutcome::Skipped(why));
            continue;
        }
        state = match &shown {
            Ok(shown) => judge_one(state, cx, shown, index, call).await,
            Err(message) => cx.answer(state, index, ToolOutcome::failed(message.clone())),
        };
    }
    Ok(state)
}

/// Answers the open calls of an execution that was stopped.
fn skip(mut state: AgentState, cx: &StepContext, why: &str) -> AgentState {
    for (index, _) in unjudged(&state, cx).collect::<Vec<_>>() {
        state = cx.answer(state, index, ToolOutcome::Skipped(why.to_owned()));
    }
    state
}

/// Why no call of the execution runs any more; none if it was not stopped.
pub(crate) fn why_stopped(state: &AgentState) -> Option<String> {
    let signal = state.stop_signals().first()?;
    Some(format!("the execution was stopped ({})", signal.reason))
}

/// Why a call does not run that is behind one that was blocked; none if it may.
fn why_blocked(state: &AgentState, cx: &StepContext, index: u32) -> Option<String> {
    let before = state.calls().take_while(|(at, _)| *at < index);
    let mut outcomes = before.filter_map(|(_, slot)| slot.execution().map(|it| &it.outcome));
    let stops = cx.services.calls.on_block == OnBlock::Stop
        && outcomes.any(|outcome| matches!(**outcome, ToolOutcome::Blocked { .. }));
    stops.then(|| "a call before it was blocked".to_owned())
}

/// The open calls that were not judged here.
fn unjudged(state: &AgentState, cx: &StepContext) -> impl Iterator<Item = (u32, Arc<ToolCall>)> {
    let open = state.calls().filter(|(index, slot)| {
        slot.status == CallStatus::Open && !state.is_pending(*index as usize)
    });
    let open = open.filter(|(index, _)| !state.is_judged_by(&cx.seal, *index));
    open.map(|(index, slot)| (index, Arc::clone(&slot.call)))
}

/// Whether the calls of the step are to be judged before one of them runs.
pub(crate) fn is_owed(state: &AgentState, cx: &StepContext) -> bool {
    !waits_for_doubt(state) && unjudged(state, cx).next().is_some()
}

/// Whether a call waits beside which none of its turn begins.
pub(crate) fn waits_for_doubt(state: &AgentState) -> bool {
    state.pending().iter().any(|pending| pending.reason.holds_turn())
}

/// The calls of a turn are held against the limit as a whole. Where some of them began under
/// another run, those that did not are held against the limits above only: others may have
/// used meanwhile what was left for them.
fn check_batch(state: AgentState, cx: &StepContext) -> AgentState {
    let Some(step) = state.current_step() else { return state };
    let open = step.calls.iter().filter(|slot| slot.status == CallStatus::Open).count();
    let forbids = match open == step.calls.len() {
        true => forbids_calls(&cx.services.criteria, &state).or_else(|| granted(&state, cx, open)),
        false => None,
    };
    let above = || Some(passed(cx.account.calls.hold(open).err()?));
    match forbids.or_else(above) {
        Some(signal) => state.with_stop_signal(signal),
        None => state,
    }
}

/// Whether calls would pass what a subagent was granted at spawn, whatever its criteria say.
fn granted(state: &AgentState, cx: &StepContext, calls: usize) -> Option<StopSignal> {
    let ledger = cx.account.above()?.granted(state.ledger());
    ledger.forbids_calls(calls as u64).map(passed)
}

pub(crate) fn passed(limit: Exhausted) -> StopSignal {
    StopSignal::limit(StopReason::ToolCallsLimit.to_string(), limit)
}

async fn judge_one(
    state: AgentState,
    cx: &StepContext,
    shown: &StepTools,
    index: u32,
    call: Arc<ToolCall>,
) -> AgentState {
    let judged = match check(&state, shown, index, &call) {
        Ok(judged) => judged,
        Err(outcome) => return cx.answer(state, index, outcome),
    };
    if !cx.listens(Trigger::BeforeToolUse) {
        return state.with_judged_by(&cx.seal, index, judged);
    }
    ask_hooks(state, cx, shown, index, call, judged).await
}

/// Shows hooks a call that is to run; they may change its arguments, block or answer it.
async fn ask_hooks(
    state: AgentState,
    cx: &StepContext,
    shown: &StepTools,
    index: u32,
    call: Arc<ToolCall>,
    checked: Judged,
) -> AgentState {
    let arguments = checked.value.clone().unwrap_or_default();
    let pending = CurrentToolCall::new(index, Arc::clone(&call), Arc::clone(&arguments));
    let state = state.with_current_tool_call(Some(Arc::new(pending)));
    let state = cx.fire(Trigger::BeforeToolUse, state).await;
    let judged = state.current_tool_call().cloned();
    let state = state.with_current_tool_call(None);
    // A hook may have been cut off: the call is not judged.
    if cx.control.is_raised() {
        return state;
    }
    let Some(judged) = judged else {
        return state.with_judged_by(&cx.seal, index, checked);
    };
    let is_changed = judged.arguments != arguments;
    let as_it_is = || match is_changed {
        false => Ok(checked),
        true => check_changed(&state, shown, index, &call, &judged.arguments),
    };
    let verdict = match &judged.verdict {
        Some(CallVerdict::Block { by, reason }) => {
            Err(ToolOutcome::Blocked { by: by.clone(), reason: reason.clone() })
        }
        Some(CallVerdict::Answer(value)) => Err(ToolOutcome::value(value.clone()).for_journal()),
        Some(CallVerdict::Ask(request)) => as_it_is().map(|judged| {
            let request = match judged.waits.as_deref() {
                Some(Waits::Approval(of_tool)) => request.clone().and(of_tool),
                _ => request.clone(),
            };
            judged.waiting_for(Waits::Approval(request))
        }),
        None => as_it_is(),
    };
    match verdict {
        Ok(judged) => state.with_judged_by(&cx.seal, index, judged),
        Err(outcome) => cx.answer(state, index, outcome),
    }
}

/// The call with arguments that hooks changed, if these fit the schema.
fn check_changed(
    state: &AgentState,
    shown: &StepTools,
    index: u32,
    call: &ToolCall,
    arguments: &Value,
) -> Result<Judged, ToolOutcome> {
    let text: Arc<str> = arguments.to_string().into();
    let changed = ToolCall { arguments: Arc::clone(&text), ..call.clone() };
    let mut judged = check(state, shown, index, &changed)?;
    judged.arguments = Some(text);
    Ok(judged)
}

/// The call with its arguments, if the tool was shown and may be called, they fit its schema, and
/// the tool admits it; and what it waits for then.
fn check(
    state: &AgentState,
    shown: &StepTools,
    index: u32,
    call: &ToolCall,
) -> Result<Judged, ToolOutcome> {
    let (at, spec) = shown.find(state, &call.name)?;
    state.check_call_limit(spec, index)?;
    let value = call.parse().map_err(|error| format!("The arguments are not JSON: {error}."));
    let fits = value.and_then(|value| shown.validate(at, &value).map(|()| value));
    let value = fits.map_err(|problem| state.invalid_arguments(spec, &problem))?;
    let admitted =
        AdmittedCall { call, shown: &call.name, arguments: &value, state, approved: false };
    let waits = match shown.admit(at, &admitted).map_err(|panic| panicked(&panic))? {
        Admission::Block { by, reason } => return Err(ToolOutcome::Blocked { by, reason }),
        Admission::Invalid(problem) => return Err(state.invalid_arguments(spec, &problem)),
        Admission::Defer(deferral @ Deferral::Session(_)) => return Err(refused(spec, &deferral)),
        Admission::Ask(request) => Some(Waits::Approval(request)),
        Admission::Defer(deferral) => Some(Waits::Deferred(deferral)),
        _ => None,
    };
    let mut judged = Judged::of(Arc::new(value));
    judged.waits = waits.map(Box::new);
    Ok(judged)
}

/// A result that comes later is never an answer, nor that of a session which is not the call's.
pub(crate) fn refused(spec: &ToolSpec, deferral: &Deferral) -> ToolOutcome {
    let message = format!(
        "The tool `{}` deferred its result to a session ({deferral:?}) that is not its own \
         subagent's: it must wait for the result and return it.",
        spec.name
    );
    ToolOutcome::Failed(FailureKind::Hard, message)
}

fn panicked(panic: &str) -> ToolOutcome {
    let message = format!("The tool panicked when it was asked whether the call may run: {panic}");
    ToolOutcome::Failed(FailureKind::Panicked, message)
}
