//! Which calls may run: names, arguments, limits and hooks, before any runs.

use std::sync::Arc;

use legwork_core::budget::Exhausted;
use legwork_core::continuation::forbids_calls;
use legwork_core::state::{CallStatus, CallVerdict, CurrentToolCall, Judged};
use legwork_core::{AgentState, StopReason, StopSignal, ToolCall, ToolOutcome};
use legwork_port::Trigger;
use legwork_toolset::StepTools;
use serde_json::Value;

use crate::context::StepContext;
use crate::error::Halt;

/// Judges each open call, in call order; those that may not run are answered here.
pub(crate) async fn judge(state: AgentState, cx: &StepContext) -> Result<AgentState, Halt> {
    // Of an execution that was stopped no call runs, whatever the tools are.
    if !state.stop_signals().is_empty() {
        return Ok(skip(state, cx));
    }
    let Some(shown) = cx.unless_raised(cx.toolbox().shown(&state)).await else {
        return Ok(state);
    };
    let mut state = check_batch(state, cx);
    for (index, call) in unjudged(&state, cx).collect::<Vec<_>>() {
        if cx.control.is_raised() {
            return Ok(state);
        }
        state = match &shown {
            Ok(shown) => judge_one(state, cx, shown, index, call).await,
            Err(message) => cx.answer(state, index, &call, ToolOutcome::failed(message.clone())),
        };
    }
    Ok(state)
}

/// Answers the open calls of an execution that was stopped.
fn skip(mut state: AgentState, cx: &StepContext) -> AgentState {
    let Some(signal) = state.stop_signals().first() else { return state };
    let why = format!("the execution was stopped ({})", signal.reason);
    for (index, call) in unjudged(&state, cx).collect::<Vec<_>>() {
        state = cx.answer(state, index, &call, ToolOutcome::Skipped(why.clone()));
    }
    state
}

/// The open calls that were not judged here.
fn unjudged(state: &AgentState, cx: &StepContext) -> impl Iterator<Item = (u32, Arc<ToolCall>)> {
    let open = state.calls().filter(|(_, slot)| slot.status == CallStatus::Open);
    let open = open.filter(|(index, _)| !state.is_judged_by(&cx.seal, *index));
    open.map(|(index, slot)| (index, Arc::clone(&slot.call)))
}

/// Whether the calls of the step are to be judged before one of them runs.
pub(crate) fn is_owed(state: &AgentState, cx: &StepContext) -> bool {
    state.pending().is_empty() && unjudged(state, cx).next().is_some()
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
    let above = || Some(passed(cx.held_calls.hold(open).err()?));
    match forbids.or_else(above) {
        Some(signal) => state.with_stop_signal(signal),
        None => state,
    }
}

/// Whether calls would pass what a subagent was granted at spawn, whatever its criteria say.
fn granted(state: &AgentState, cx: &StepContext, calls: usize) -> Option<StopSignal> {
    let ledger = cx.shared_budget.as_ref()?.granted(state.ledger());
    ledger.forbids_calls(calls as u64).map(passed)
}

fn passed(limit: Exhausted) -> StopSignal {
    StopSignal::limit(StopReason::ToolCallsLimit.to_string(), limit)
}

async fn judge_one(
    state: AgentState,
    cx: &StepContext,
    shown: &StepTools,
    index: u32,
    call: Arc<ToolCall>,
) -> AgentState {
    if let Some(signal) = state.stop_signals().first() {
        let why = format!("the execution was stopped ({})", signal.reason);
        return cx.answer(state, index, &call, ToolOutcome::Skipped(why));
    }
    let arguments =
        match check_limit(&state, shown, index, &call).and_then(|()| check(&state, shown, &call)) {
            Ok(arguments) => arguments,
            Err(outcome) => return cx.answer(state, index, &call, outcome),
        };
    if !cx.listens(Trigger::BeforeToolUse) {
        return state.with_judged_by(&cx.seal, index, Judged::of(arguments));
    }
    ask_hooks(state, cx, shown, index, call, arguments).await
}

/// Shows hooks a call that is to run; they may change its arguments, block or answer it.
async fn ask_hooks(
    state: AgentState,
    cx: &StepContext,
    shown: &StepTools,
    index: u32,
    call: Arc<ToolCall>,
    arguments: Arc<Value>,
) -> AgentState {
    let pending = CurrentToolCall {
        index,
        call: Arc::clone(&call),
        arguments: Arc::clone(&arguments),
        verdict: None,
    };
    let state = state.with_current_tool_call(Some(Arc::new(pending)));
    let state = cx.fire(Trigger::BeforeToolUse, state).await;
    let judged = state.current_tool_call().cloned();
    let state = state.with_current_tool_call(None);
    // A hook may have been cut off: the call is not judged.
    if cx.control.is_raised() {
        return state;
    }
    let Some(judged) = judged else {
        return state.with_judged_by(&cx.seal, index, Judged::of(arguments));
    };
    let verdict = match &judged.verdict {
        Some(CallVerdict::Block { by, reason }) => {
            Err(ToolOutcome::Blocked { by: by.clone(), reason: reason.clone() })
        }
        Some(CallVerdict::Answer(value)) => Err(ToolOutcome::value(value.clone()).for_journal()),
        None if judged.arguments == arguments => Ok(Judged::of(arguments)),
        None => check_changed(&state, shown, &call, &judged.arguments),
    };
    match verdict {
        Ok(judged) => state.with_judged_by(&cx.seal, index, judged),
        Err(outcome) => cx.answer(state, index, &call, outcome),
    }
}

/// The call with arguments that hooks changed, if these fit the schema.
fn check_changed(
    state: &AgentState,
    shown: &StepTools,
    call: &ToolCall,
    arguments: &Value,
) -> Result<Judged, ToolOutcome> {
    let text: Arc<str> = arguments.to_string().into();
    let changed = ToolCall { arguments: Arc::clone(&text), ..call.clone() };
    check(state, shown, &changed).map(|value| Judged::with_arguments(text, value))
}

/// Refuses a call of a tool of which no call is left in this execution.
fn check_limit(
    state: &AgentState,
    shown: &StepTools,
    index: u32,
    call: &ToolCall,
) -> Result<(), ToolOutcome> {
    state.check_call_limit(shown.find(state, &call.name)?.1, index)
}

/// The arguments, if the tool was shown and they fit its schema.
fn check(
    state: &AgentState,
    shown: &StepTools,
    call: &ToolCall,
) -> Result<Arc<Value>, ToolOutcome> {
    let (at, spec) = shown.find(state, &call.name)?;
    let value = call.parse().map_err(|error| format!("The arguments are not JSON: {error}."));
    let fits = value.and_then(|value| shown.validate(at, &value).map(|()| value));
    fits.map(Arc::new).map_err(|problem| state.invalid_arguments(spec, &problem))
}
