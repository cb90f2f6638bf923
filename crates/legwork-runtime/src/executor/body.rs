//! One call at work.

use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use legwork_core::budget::Amounts;
use legwork_core::tool::{FailureKind, Metadata};
use legwork_core::{AgentState, EffectKey, Micros, Seq, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Cancellation, ToolContext, unwind};
use tracing::{Instrument as _, debug, debug_span};

use crate::context::StepContext;
use crate::control::Control;
use crate::executor::job::Job;

/// A call that was run.
pub(super) struct Ran {
    pub(super) index: u32,
    pub(super) call: Arc<ToolCall>,
    /// None if it was cut off while it ran.
    pub(super) outcome: Option<ToolOutcome>,
    pub(super) took: Micros,
    /// What it left for people and programs.
    pub(super) metadata: Metadata,
    /// What it charged.
    pub(super) used: Amounts,
    pub(super) spec: Arc<ToolSpec>,
}

/// One running call; dropping it ends the tool.
pub(super) fn call(job: Job, state: &AgentState, cx: &StepContext) -> BoxFuture<'static, Ran> {
    let (clock, control) = (Arc::clone(&cx.services.sessions.clock), cx.control.clone());
    let Job { index, call, spec, tool, subagent: child, begun, arguments, .. } = job;
    // Raised when the call ends, however it does: what it left at work hears of that.
    let cancel = cx.control.cancel.child();
    let context = context(index, state, cx, cancel.clone());
    let context = match arguments {
        Some(arguments) => context.with_arguments(&call, arguments),
        None => context,
    };
    let span = debug_span!("tool", name = &*spec.name, index);
    // The time was taken when its batch began.
    let start = state.now().mono;
    let running = async move {
        let _ended = CancelOnDrop(cancel);
        if let (None, Some(outcome)) = (&child, ended_before(&control, begun)) {
            let (took, metadata, used) = Default::default();
            return Ran { index, call, outcome, took, metadata, used, spec };
        }
        let limit = spec.timeout.map(|limit| (limit, clock.sleep(Duration::from(limit))));
        let outcome = match &child {
            // It is under the same control, and ends in good order.
            Some(child) => ended(|| child.call(&context), pending(), limit).await,
            None => ended(|| tool.call(&call, &context), control.raised(), limit).await,
        };
        let took = clock.mono().since(start);
        debug!(took = took.0, cut = outcome.is_none(), "call ended");
        // The context has a clone of the state: while it is there, each change copies it.
        let (metadata, used) = (context.take_metadata(), context.take_used());
        drop(context);
        Ran { index, call, outcome, took, metadata, used, spec }
    };
    Box::pin(running.instrument(span))
}

/// What came of the body of a call; none if the run was cancelled or interrupted first.
async fn ended<'a>(
    body: impl FnOnce() -> BoxFuture<'a, ToolOutcome>,
    raised: impl Future<Output = ()>,
    limit: Option<(Micros, BoxFuture<'_, ()>)>,
) -> Option<ToolOutcome> {
    let late = async {
        match limit {
            Some((limit, over)) => {
                over.await;
                timed_out(limit)
            }
            None => pending().await,
        }
    };
    let (raised, late) = (pin!(raised), pin!(late));
    match select(pin!(unwind::run(body)), select(raised, late)).await {
        Either::Left((ended, _)) => Some(ended.unwrap_or_else(|panic| panicked(&panic))),
        Either::Right((Either::Left(_), _)) => None,
        Either::Right((Either::Right((outcome, _)), _)) => Some(outcome),
    }
}

/// Raises a request to stop when it is dropped.
struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// What the body of a call sees and may use.
fn context(index: u32, state: &AgentState, cx: &StepContext, cancel: Cancellation) -> ToolContext {
    // A call is keyed by its response, which is recorded: the key is there.
    let key = state.effect_key(index).unwrap_or_else(|| EffectKey {
        session: state.session().clone(),
        entry: Seq::ZERO,
        index,
    });
    let (events, deps) = (cx.events.clone(), cx.services.deps.clone());
    ToolContext::of_run(state.clone(), key, cancel, events, deps)
}

/// What came of a call whose run was ended before its body began, as while its intent was
/// committed: one that was only interrupted may begin in the next run, and one that began
/// under another run may have happened.
fn ended_before(control: &Control, begun: bool) -> Option<Option<ToolOutcome>> {
    let never = control.cancel.is_cancelled() && !begun;
    let skipped = || ToolOutcome::Skipped("the execution was cancelled".to_owned());
    control.is_raised().then(|| never.then(skipped))
}

fn timed_out(limit: Micros) -> ToolOutcome {
    let message = format!("It ran longer than its limit of {limit} and was ended.");
    ToolOutcome::Failed(FailureKind::Timeout, message)
}

fn panicked(panic: &str) -> ToolOutcome {
    let message = format!("The tool panicked: {panic}");
    ToolOutcome::Failed(FailureKind::Panicked, message)
}
