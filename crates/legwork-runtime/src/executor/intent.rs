//! Before calls run: their intents, and which of these have to be durable.

use legwork_core::event::ToolStarted;
use legwork_core::tool::RunsIn;
use legwork_core::{AgentState, Event};
use legwork_port::{EventKind, Trigger};

use crate::context::StepContext;
use crate::error::Halt;
use crate::executor::job::Job;
use crate::services::TurnSubagents;

/// Records the intents. Those that must be known after a crash are durable before anything
/// starts; the others ride with the response.
pub(super) async fn begin(
    mut state: AgentState,
    cx: &StepContext,
    turn: Option<&dyn TurnSubagents>,
    jobs: &mut [Job],
) -> Result<AgentState, Halt> {
    let mut must_last = false;
    for job in jobs.iter_mut().filter(|job| !job.begun) {
        job.grant_from(turn, &state, cx);
        must_last |= must_be_durable(job);
        let (index, effect, arguments) = (job.index, job.spec.effect, job.changed.clone());
        let intent = job.subagent.as_ref().map(|subagent| subagent.intent());
        let (child, reserved) =
            intent.map_or_else(Default::default, |(child, held)| (Some(child), held));
        let started = ToolStarted { index, effect, arguments, child, reserved, again: job.again };
        state = state.with(Event::ToolStarted(started));
        // With subagents, all calls of the turn are in their account already.
        if turn.is_none() && job.is_fresh() {
            cx.account.calls.begin();
        }
    }
    if must_last || hooks_may_change(cx) || is_response_unsaved(&state) {
        state = cx.commit(state).await?;
    }
    for job in jobs {
        let (index, call) = (job.index, &*job.call);
        cx.emit(|| EventKind::ToolStarted { index, call: call.clone() });
    }
    Ok(cx.tick(state))
}

/// Whether a crash must not forget that the call began: it may not happen twice, a subagent
/// spends for it, it was answered, or it runs with arguments that the response does not have.
fn must_be_durable(job: &Job) -> bool {
    !job.spec.effect.is_repeatable()
        || job.answered
        || job.spec.runs_in == RunsIn::OwnSession
        || job.changed.is_some()
}

/// Whether hooks may give a call arguments: after a crash they would be asked again, and the
/// same key might run with others.
fn hooks_may_change(cx: &StepContext) -> bool {
    cx.listens(Trigger::BeforeToolUse) || cx.listens(Trigger::AfterInference)
}

fn is_response_unsaved(state: &AgentState) -> bool {
    let response = state.current_step().and_then(|step| step.response_entry);
    response.is_some_and(|entry| entry > state.committed_version())
}
