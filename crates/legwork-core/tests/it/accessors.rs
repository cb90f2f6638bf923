//! S1.10: what a state says when asked.

use std::sync::Arc;

use legwork_core::continuation::StopReason;
use legwork_core::state::{CallVerdict, CurrentToolCall, CurrentToolExecution, StepKind};
use legwork_core::{AgentState, ContinuationOutcome, Event, ModelRequest};
use serde_json::json;

use crate::story::{blank, go_on, outcome, tell, transcript};

#[test]
fn s1_10_before_the_first_execution_there_is_nothing_to_say() {
    let state = blank();
    assert!(state.current_step().is_none() && state.ending_step().is_none());
    assert!(state.current_tool_call().is_none() && state.current_tool_execution().is_none());
    assert!(state.current_error().is_none() && state.errors().next().is_none());
    assert!(state.stop_reason().is_none() && state.stop_signal().is_none());
    assert!(state.last_step_result().is_none() && state.step_results().next().is_none());
    assert!(state.continuation_outcome().is_none() && state.final_response().is_none());
    assert!(!state.tool_call_decided() && state.stop_prevented().is_none());
    assert_eq!(state.used(), &Default::default());
}

#[test]
fn s5_7_the_entry_that_ended_a_step_says_what_the_step_used() {
    let state = tell(
        "user: hi; inference; calls: a; starts: 0; result: 0 x; decides; inference; answer: done; \
         decides",
    );
    let entries = state.uncommitted().to_shared();
    let ends: Vec<_> = entries
        .iter()
        .filter(|entry| matches!(entry.event, Event::StepFinished(_)))
        .map(|entry| state.used_by_step(entry.seq).unwrap())
        .collect();
    assert_eq!(
        ends.iter().map(|used| (used.steps, used.tool_calls)).collect::<Vec<_>>(),
        [(1, 1), (1, 0)]
    );
    assert_eq!(ends[0].plus(ends[1]), *state.used());
    assert_eq!(state.session_used(), state.used());
    // The steps of an execution before are not known any more.
    let last = entries.last().unwrap().seq;
    let state = go_on(state, "ends; user: more");
    assert_eq!((state.used_by_step(last), state.used().steps), (None, 0));
    assert_eq!(state.session_used().steps, 2);
}

#[test]
fn s1_10_steps_and_responses() {
    let state = tell("user: hi; inference; calls: a; result: 0 x; decides; inference");
    assert_eq!(state.current_step().unwrap().number, 2);
    assert_eq!(state.step_results().count(), 1);
    let last = state.last_step_result().unwrap();
    assert_eq!((last.step.number, last.step.kind()), (1, StepKind::ToolExecution));
    assert_eq!(last.step.tool_executions().count(), 1);
    assert!(state.final_response().is_none());
    let state = go_on(state, "answer: done");
    assert_eq!(state.final_response().unwrap().text(), "done");
    let state = go_on(state, "decides");
    assert_eq!(state.final_response().unwrap().text(), "done");
    assert_eq!(state.last_step_result().unwrap().step.kind(), StepKind::FinalResponse);
    assert_eq!(state.last_step_result().unwrap().step.input_cut, 3);
}

#[test]
fn s1_10_what_was_used() {
    let state = tell("user: hi; inference; calls: a; starts: 0; result: 0 x; decides; inference");
    let used = state.used();
    assert_eq!((used.steps, used.tool_calls, used.input, used.output), (2, 1, 100, 10));
}

#[test]
fn s1_10_a_provisional_outcome_is_shown_while_the_step_is_ending() {
    let state = tell("user: hi; inference; answer: done");
    assert!(state.ending_step().is_none());
    let provisional = outcome(&state);
    let state = state.with_provisional_outcome(Some(provisional));
    assert_eq!(state.ending_step(), state.current_step());
    assert_eq!(state.stop_reason(), Some(&StopReason::Completed));
    let state = go_on(state, "decides");
    assert!(state.ending_step().is_none());
    assert_eq!(state.stop_reason(), Some(&StopReason::Completed));
    let forgotten = state.with_provisional_outcome(Some(Arc::new(ContinuationOutcome::go_on("x"))));
    assert!(forgotten.continuation_outcome().unwrap().should_continue());
    let forgotten = forgotten.with_provisional_outcome(None);
    assert!(!forgotten.continuation_outcome().unwrap().should_continue());
}

#[test]
fn s1_10_the_deciding_stop_signal_is_the_first_of_the_highest_priority() {
    let state = tell("user: hi; signal: steps_limit; signal: user_requested; signal: cost_limit");
    assert_eq!(state.stop_signal().unwrap().reason, StopReason::UserRequested);
    assert_eq!(state.stop_signals().len(), 3);
}

fn pending(index: u32) -> Arc<CurrentToolCall> {
    let call = tell("user: hi; inference; calls: a")
        .current_step()
        .unwrap()
        .calls
        .get(0)
        .unwrap()
        .call
        .clone();
    Arc::new(CurrentToolCall::new(index, call, Arc::new(json!({"n": 1}))))
}

#[test]
fn s1_10_the_current_call_is_judged_and_then_removed() {
    let judging = || tell("user: hi").with_current_tool_call(Some(pending(0)));
    let state = judging();
    assert!(!state.tool_call_decided());
    let blocked = judging().with_tool_call_blocked("guard", "not here");
    assert!(blocked.tool_call_decided());
    let verdict = blocked.current_tool_call().unwrap().verdict.clone();
    let block = CallVerdict::Block { by: "guard".into(), reason: "not here".into() };
    assert_eq!(verdict, Some(block));
    let answered = judging().with_tool_call_answered(json!(42));
    let verdict = answered.current_tool_call().unwrap().verdict.clone();
    assert_eq!(verdict, Some(CallVerdict::Answer(json!(42))));
    let changed = judging().with_tool_call_arguments(json!({"n": 2}));
    assert_eq!(*changed.current_tool_call().unwrap().arguments, json!({"n": 2}));
    assert!(changed.with_current_tool_call(None).current_tool_call().is_none());
    // Without a pending call there is nothing to judge.
    assert!(!blank().with_tool_call_blocked("guard", "x").tool_call_decided());
}

#[test]
fn s1_10_current_execution_request_and_prevented_stop() {
    let state = tell("user: hi; inference; calls: a; result: 0 x");
    let execution =
        state.current_step().unwrap().calls.get(0).unwrap().execution().unwrap().clone();
    let pending = CurrentToolExecution { index: 0, execution };
    let state = state.with_current_tool_execution(Some(pending.clone()));
    assert_eq!(state.current_tool_execution(), Some(&pending));
    let state = state.with_current_tool_execution(None);
    assert!(state.current_tool_execution().is_none());
    let request = ModelRequest::new(state.context().transcript.settled().unwrap(), Arc::default());
    let state = state.with_current_request(Some(Arc::new(request)));
    assert_eq!(state.current_request().unwrap().messages().len(), transcript(&state).len());
    let state = state.with_current_request(None).with_stop_prevented("reviewer");
    assert_eq!(state.stop_prevented(), Some("reviewer"));
    assert!(state.without_votes().stop_prevented().is_none());
}

#[test]
fn s1_10_a_change_that_changes_nothing_is_no_change() {
    let state = tell("user: hi");
    let same: [fn(AgentState) -> AgentState; 4] = [
        |s| s.with_current_request(None),
        |s| s.with_current_tool_call(None),
        |s| s.with_current_tool_execution(None),
        AgentState::without_votes,
    ];
    for change in same {
        assert!(change(state.clone()).is_same(&state));
    }
}
