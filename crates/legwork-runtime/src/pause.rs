//! Calls of the turn wait: for a person, for the model, for a result from outside, for a time.

use std::future::pending;
use std::ops::ControlFlow::{self, Break, Continue};
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use legwork_context::Auxiliary;
use legwork_core::event::Answered;
use legwork_core::inbox::Answer;
use legwork_core::state::{Input, Lapsed, Pending, PendingReason};
use legwork_core::{AgentState, Event, OnDoubt, Owed};
use legwork_port::{Admission, Approver, unwind};

use crate::context::StepContext;
use crate::driver::obtain;
use crate::error::Halt;
use crate::executor;
use crate::inbox::take_inbox;
use crate::result::Advance;
use crate::wait_policy::Timers;

/// The longest that nobody looks into the inbox while the execution waits.
const LOOK: Duration = Duration::from_secs(1);

/// Calls have to be answered first: the pause is recorded once, and the execution rests, unless
/// somebody in this process answers or only time has to pass. One that was stopped waits for
/// nobody.
pub(crate) async fn pause(cx: &StepContext, state: AgentState) -> Result<Advance, Halt> {
    let state = take_up(cx, state).await?;
    if state.owed() != Owed::Pause {
        return cx.commit(cx.goes_on(state)).await.map(Advance::More);
    }
    if let Some(prompt) = state.pending().iter().find_map(|one| Auxiliary::of_call(&state, one)) {
        return obtain(prompt, cx.goes_on(state), cx).await.map(Advance::More);
    }
    // A run that only looked leaves no trace.
    let looked = state.uncommitted().is_empty() && state.facts().at_work.is_none();
    let mut state = if looked { state } else { cx.commit(cx.rest(state)).await? };
    if let Some(approver) = cx.services.approver.as_deref() {
        for pending in state.pending().to_vec() {
            state = match ask(cx, approver, state, &pending).await? {
                Continue(state) => state,
                Break(state) => return Ok(Advance::More(state)),
            };
        }
    }
    if !state.waits_for_time_alone() || cx.waits.timers == Timers::Rest {
        return Ok(Advance::Rest(state));
    }
    cx.unless_raised(pin!(changed(cx, &state))).await;
    Ok(Advance::More(waited(cx, state)))
}

/// Takes up what was left for the session, and ends the waits that need nobody any more.
async fn take_up(cx: &StepContext, state: AgentState) -> Result<AgentState, Halt> {
    let mut state = take_inbox(cx, state).await?;
    let tell = cx.waits.on_doubt == Some(OnDoubt::Tell);
    let left = executor::why_left(&state, cx);
    for (index, lapsed) in state.lapsed(left.as_deref(), tell) {
        state = match lapsed {
            Lapsed::Ends(outcome) => executor::end_call(state, cx, index, outcome).await?,
            Lapsed::Answered(answer) => answered(cx, state, answer),
        };
    }
    approve_covered(cx, state).await
}

/// Approves the calls that an approval covers which was given since they were asked about.
async fn approve_covered(cx: &StepContext, mut state: AgentState) -> Result<AgentState, Halt> {
    let asked = state.pending().iter().filter(|pending| pending.of_policy).cloned();
    let asked: Vec<_> = asked.collect();
    if asked.is_empty() || !state.facts().approvals.iter().any(|approved| approved.of_policy) {
        return Ok(state);
    }
    let Some(Ok(shown)) = cx.unless_raised(cx.toolbox().shown(&state)).await else {
        return Ok(state);
    };
    for pending in asked {
        let admission = shown.admit_again(&state, &pending);
        if matches!(admission, Some(Admission::Run | Admission::Defer(_))) {
            let answer = Answer::approve(&pending).by("an approval of before");
            state = answered(cx, state, answer);
        }
    }
    Ok(state)
}

/// The state with an answer; observers are notified of a call that it ends.
fn answered(cx: &StepContext, state: AgentState, answer: Answer) -> AgentState {
    let waits = state.pending().iter().find(|pending| pending.id == answer.id);
    let index = waits.map(|pending| pending.index);
    let state = state.with(Event::Answered(Answered { answer }.into()));
    index.into_iter().for_each(|index| cx.emit_ended(&state, index));
    state
}

/// Asks the approver of this process; breaks if there is other work to do: the call was answered, or
/// the run ended.
async fn ask(
    cx: &StepContext,
    approver: &dyn Approver,
    mut state: AgentState,
    pending: &Pending,
) -> Result<ControlFlow<AgentState, AgentState>, Halt> {
    if matches!(pending.reason, PendingReason::Subagent | PendingReason::Until(_)) {
        return Ok(Continue(state));
    }
    let seen = state.clone();
    let mut asking = pin!(unwind::run(|| approver.answer(pending, &seen)));
    let answer = loop {
        let either = async {
            match select(asking.as_mut(), pin!(changed(cx, &state))).await {
                Either::Left((answer, _)) => Some(answer),
                Either::Right(_) => None,
            }
        };
        let came = cx.unless_raised(either).await;
        state = waited(cx, state);
        match came {
            Some(Some(answer)) => break answer,
            None => return Ok(Break(state)),
            Some(None) => state = take_up(cx, state).await?,
        }
        if state.owed() != Owed::Pause || !state.pending().contains(pending) {
            return Ok(Break(state));
        }
        state = cx.commit(state).await?;
    };
    let answer = answer.unwrap_or_else(|panic| {
        cx.events.warn(|| format!("the approver panicked: {panic}"));
        None
    });
    let Some(answer) = answer else { return Ok(Continue(state)) };
    match state.decide(Input::Answer(answer)) {
        Ok(events) => {
            let state = events.into_iter().fold(state, AgentState::with);
            cx.emit_ended(&state, pending.index);
            Ok(Break(cx.goes_on(state)))
        }
        Err(refusal) => {
            cx.events.warn(|| format!("an answer was refused: {refusal}"));
            Ok(Continue(state))
        }
    }
}

/// The state at the present time; what passed since was no time at work.
fn waited(cx: &StepContext, state: AgentState) -> AgentState {
    let before = state.now().mono;
    let state = cx.tick(state);
    let passed = state.now().mono.since(before);
    state.idled(passed)
}

/// Waits until there is something new for the session, or a time has come. A store that is watched
/// says when to look; it is looked now and then all the same, as others may write where it does
/// not see it.
async fn changed(cx: &StepContext, state: &AgentState) {
    let (store, session) = (&cx.writer.store, state.session());
    let clock = &cx.services.sessions.clock;
    loop {
        let change = store.watch(session).unwrap_or_else(|| Box::pin(pending()));
        let items = store.inbox(session, state.facts().inbox_cursor).await;
        let left = state.next_time().map(|time| time.0.saturating_sub(clock.now().wall.0));
        if items.is_ok_and(|items| !items.is_empty()) || left == Some(0) {
            return;
        }
        let nap = left.map_or(LOOK, |left| LOOK.min(Duration::from_millis(left)));
        select(change, clock.sleep(nap)).await;
    }
}
