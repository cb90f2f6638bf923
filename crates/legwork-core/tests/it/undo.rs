//! Past calls, as a journal has them, and what was taken back of them.

use std::sync::Arc;

use legwork_core::event::{ToolFinished, ToolStarted, UndoFinished, UndoStarted, Worked};
use legwork_core::journal::Journal;
use legwork_core::state::PendingReason;
use legwork_core::undo::{PastCall, UndoOutcome, UndoStatus};
use legwork_core::{
    AgentState, EffectClass, Event, FinishReason, Message, Micros, OnDoubt, Part, Response,
    SessionId, ToolCall, ToolOutcome,
};

use crate::story::{respond, tell};

const ONCE: EffectClass = EffectClass::Once(OnDoubt::Ask);

/// A turn of so many calls, `c0` and on, of which none has begun.
fn turn(state: AgentState, count: u32) -> AgentState {
    let call = |n| Part::ToolCall(Arc::new(ToolCall::new(format!("c{n}"), "a", "{}")));
    let message = Message::assistant((0..count).map(call).collect());
    respond(state, Response::new(message, FinishReason::ToolCalls), None)
}

fn started(index: u32, effect: EffectClass, arguments: Option<&str>) -> Event {
    let (child, reserved, again) = Default::default();
    let arguments = arguments.map(Into::into);
    Event::ToolStarted(ToolStarted { index, effect, arguments, child, reserved, again })
}

fn finished(index: u32, outcome: ToolOutcome) -> Event {
    Event::ToolFinished(ToolFinished::without_running(index, outcome))
}

fn past(state: &AgentState) -> Vec<PastCall> {
    let journal = Journal::new(state.uncommitted().to_vec());
    PastCall::of_journal(&SessionId::new("s"), &journal)
}

/// Each call with its outcome in short, and how far it was taken back.
fn told(state: &AgentState) -> Vec<(String, &'static str, UndoStatus)> {
    let tell = |past: PastCall| {
        let ended = if past.outcome.is_some() { "ended" } else { "unknown" };
        (past.call.id.to_string(), ended, past.undo)
    };
    past(state).into_iter().map(tell).collect()
}

#[test]
fn s6_7_past_calls_are_those_that_began_in_the_order_in_which_they_ended() {
    let state = turn(tell("user: hi; inference"), 5)
        .with(started(0, ONCE, None))
        .with(started(1, EffectClass::ReadOnly, None))
        .with(started(2, ONCE, Some("{\"n\":2}")))
        .with(finished(2, ToolOutcome::text("two")))
        .with(finished(0, ToolOutcome::Interrupted))
        // This one never began.
        .with(finished(3, ToolOutcome::Skipped("stopped".into())))
        .with(started(4, ONCE, None));
    let not = UndoStatus::Not;
    let expected = [("c2", "ended"), ("c0", "unknown"), ("c1", "unknown"), ("c4", "unknown")];
    let expected = expected.map(|(id, ended)| (id.to_owned(), ended, not));
    assert_eq!(told(&state), expected);
    let past = past(&state);
    assert_eq!(&*past[0].call.arguments, "{\"n\":2}", "as it ran");
    assert_eq!(
        past.iter().map(PastCall::has_effect).collect::<Vec<_>>(),
        [true, true, false, true]
    );
    let key = state.effect_key(2).unwrap();
    assert_eq!(past[0].key, key);
}

#[test]
fn s6_7_what_was_taken_back_is_folded_from_the_journal_and_changes_no_conversation() {
    let state = turn(tell("user: hi; inference"), 2)
        .with(started(0, ONCE, None))
        .with(finished(0, ToolOutcome::text("one")))
        .with(started(1, ONCE, None))
        .with(finished(1, ToolOutcome::text("two")));
    let (first, second) = (state.effect_key(0).unwrap(), state.effect_key(1).unwrap());
    let before = state.context().clone();
    let undo = |call: &_, outcome| {
        [
            Event::UndoStarted(UndoStarted { call: Clone::clone(call) }),
            Event::UndoFinished(UndoFinished { call: Clone::clone(call), outcome }),
        ]
    };
    let all =
        |state: AgentState, events: [Event; 2]| events.into_iter().fold(state, AgentState::with);
    let state = all(state, undo(&second, UndoOutcome::Done("removed a".into())));
    let state = state.with(Event::UndoStarted(UndoStarted { call: first.clone() }));
    let status =
        |state: &AgentState| told(state).into_iter().map(|call| call.2).collect::<Vec<_>>();
    assert_eq!(status(&state), [UndoStatus::Begun, UndoStatus::Done]);
    let state = all(state, undo(&first, UndoOutcome::Refused("changed since".into())));
    assert_eq!(status(&state), [UndoStatus::Not, UndoStatus::Done]);
    assert_eq!(*state.context(), before);
    assert_eq!(state.owed(), legwork_core::Owed::EndStep);
}

#[test]
fn s6_7_a_call_that_may_have_begun_before_was_in_doubt() {
    let doubts =
        |state: &AgentState| past(state).iter().map(|past| past.was_in_doubt).collect::<Vec<_>>();
    let done = || ToolOutcome::text("done");
    let begun = turn(tell("user: hi; inference"), 2)
        .with(started(0, EffectClass::Idempotent, None))
        .with(started(1, ONCE, None));
    // Without a crash none was, also where time is charged meanwhile.
    let worked = |took| Event::Worked(Worked::on(took));
    let calm = begun.clone().with(worked(Micros::ZERO));
    let calm = calm.with(finished(0, done())).with(finished(1, done()));
    assert_eq!(doubts(&calm), [false, false]);
    // The first one is repeated by the run that takes the step up; about the other one a person is
    // asked.
    let taken_up = begun.with_step_taken_up();
    let asked = taken_up.as_pending(1, PendingReason::Doubt);
    let asked = taken_up.clone().with(finished(0, done())).with_pending(asked);
    let again = match started(1, ONCE, None) {
        Event::ToolStarted(started) => Event::ToolStarted(ToolStarted { again: true, ..started }),
        other => other,
    };
    assert_eq!(doubts(&asked.clone().with(finished(1, done()))), [true, true]);
    assert_eq!(doubts(&asked.with(again).with(finished(1, done()))), [true, true]);
    // One that waited for its approval was not.
    let waits = taken_up.as_pending(1, PendingReason::Approval);
    let waited = taken_up.with_pending(waits).with(finished(1, done()));
    assert_eq!(doubts(&waited), [false, false]);
}
