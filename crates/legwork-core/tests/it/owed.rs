//! S10: what is owed is a question to the state; a resumed step takes the same arm.

use legwork_core::inbox::{Answer, Verdict};
use legwork_core::journal::Journal;
use legwork_core::state::{CallStatus, Input, StepKind};
use legwork_core::{AgentState, EffectClass, ExecutionStatus, Owed, Part};

use crate::story::{check, go_on, owes, tell, transcript};

#[test]
fn s10_1_each_moment_of_a_run_owes_one_effect() {
    check("", "owes nothing");
    check("user: hi", "asks the model");
    check("user: hi; inference", "asks the model");
    check("user: hi; inference; answer: hello", "ends the step");
    check("user: hi; inference; answer: hello; decides", "stops");
    check("user: hi; inference; answer: hello; decides; ends", "owes nothing");
    let call = "user: hi; inference; calls: read, bash";
    check(call, "judges the calls");
    check(&format!("{call}; judged"), "runs the calls");
    check(&format!("{call}; judged; starts: 0"), "runs the calls");
    check(&format!("{call}; result: 0 a"), "judges the calls");
    check(&format!("{call}; result: 0 a; judged"), "runs the calls");
    check(&format!("{call}; result: 0 a; result: 1 b"), "ends the step");
    check(&format!("{call}; result: 0 a; result: 1 b; decides"), "asks the model");
    // Nothing of the turn runs after a call in doubt, nor when all that is left waits.
    check(&format!("{call}; judged; starts: 0; pauses: 0"), "waits for somebody");
    check(&format!("{call}; judged; pauses: 0, 1"), "waits for somebody");
    check(&format!("{call}; judged; pauses: 0; result: 1 b"), "waits for somebody");
}

#[test]
fn s10_1_signals_and_failures_decide_what_is_owed() {
    check("user: hi; signal: steps_limit", "stops");
    check("user: hi; inference; fails: no answer", "ends the step");
    check("user: hi; inference; fails: no answer; decides", "stops");
    check("user: hi; inference; signal: user_requested", "ends the step");
    check("user: hi; inference; cut: read", "ends the step");
    check("user: hi; inference; error: a hook failed", "asks the model");
    check("user: hi; error: a hook failed", "asks the model");
    // A signal does not leave calls without an answer.
    check("user: hi; inference; calls: read; signal: user_requested", "judges the calls");
}

/// The state that a new process makes of what was committed.
fn resumed(state: &AgentState) -> AgentState {
    Journal::new(state.uncommitted().to_vec()).fold(state.session())
}

#[test]
fn s10_1_a_resumed_step_owes_what_the_live_one_owed() {
    let whole = "user: hi; inference; calls: read, bash; starts: 0 read only; result: 0 a; \
                 starts: 1; result: 1 b; decides; inference; answer: done; decides; ends";
    let lines: Vec<_> = whole.split(';').collect();
    for count in 0..=lines.len() {
        let live = tell(&lines[..count].join(";"));
        let resumed = resumed(&live);
        assert_eq!(live, resumed, "after {count} lines");
        assert_eq!(live.owed(), resumed.owed(), "after {count} lines");
    }
}

#[test]
fn s10_1_judging_is_not_recorded_so_a_resumed_step_judges_again() {
    let live = tell("user: hi; inference; calls: read; judged");
    assert_eq!(owes(&live), "runs the calls");
    assert_eq!(owes(&resumed(&live)), "judges the calls");
}

#[test]
fn s10_2_an_inference_without_response_runs_again_one_with_it_does_not() {
    check("user: hi; inference; inference", "asks the model");
    let state = tell("user: hi; inference; inference; answer: hello");
    assert_eq!(owes(&state), "ends the step");
    assert_eq!(state.current_step().unwrap().number, 1);
}

#[test]
fn s10_2_a_call_with_an_outcome_never_runs_again() {
    let state = tell("user: hi; inference; calls: read; result: 0 first; result: 0 second");
    assert_eq!(transcript(&state).last().unwrap(), "tool: [c0] first");
    let done = state.current_step().unwrap().calls.get(0).unwrap().execution().unwrap().clone();
    assert_eq!(done.outcome.to_text(), "first");
    // Neither an intent nor a verdict brings it back.
    let state = tell("user: hi; inference; calls: read, bash; result: 0 first; starts: 0");
    let slot = &state.current_step().unwrap().calls.get(0).unwrap();
    assert!(slot.execution().is_some(), "{:?}", slot.status);
}

#[test]
fn s10_2_an_intent_without_outcome_is_owed_under_its_class() {
    for (class, repeatable) in
        [("read only", true), ("idempotent", true), ("once, ask", false), ("once, tell", false)]
    {
        let state = tell(&format!("user: hi; inference; calls: bash; starts: 0 {class}"));
        let state = resumed(&state);
        assert_eq!(owes(&state), "runs the calls", "{class}");
        let CallStatus::Started(effect) =
            state.current_step().unwrap().calls.get(0).unwrap().status
        else {
            panic!("the intent of a {class} call is not there")
        };
        assert_eq!(effect.is_repeatable(), repeatable, "{class}");
    }
    assert_eq!(EffectClass::default(), EffectClass::Once(legwork_core::OnDoubt::Ask));
}

#[test]
fn s10_2_the_key_of_an_effect_is_the_same_when_it_runs_again() {
    let state = tell("user: hi; inference; calls: read, bash; starts: 1 idempotent");
    let key = state.effect_key(1).unwrap();
    assert_eq!(key.to_string(), "s/3/1");
    assert_eq!(resumed(&state).effect_key(1), Some(key));
}

const DOUBT: &str = "user: hi; inference; calls: bash, bash; starts: 0; starts: 1; pauses: 0, 1";

#[test]
fn s10_2_a_call_in_doubt_waits_for_a_person() {
    let state = tell(DOUBT);
    assert_eq!(owes(&state), "waits for somebody");
    assert_eq!(state.status(), Some(&ExecutionStatus::AwaitingApproval));
    let both = format!("{DOUBT}; tell: 0");
    check(&both, "waits for somebody");
    assert_eq!(tell(&both).status(), Some(&ExecutionStatus::AwaitingApproval));
    let answered = tell(&format!("{both}; tell: 1"));
    assert_eq!(answered.status(), Some(&ExecutionStatus::InProgress));
    assert_eq!(owes(&answered), "ends the step");
}

#[test]
fn s10_2_a_person_may_run_it_again_tell_the_model_or_supply_a_result() {
    // Nothing of the turn runs before every question is answered.
    check(&format!("{DOUBT}; run again: 0"), "waits for somebody");
    let state = tell(&format!("{DOUBT}; run again: 0; tell: 1"));
    assert_eq!(owes(&state), "runs the calls");
    assert_eq!(state.current_step().unwrap().calls.get(0).unwrap().status, CallStatus::Ready);
    let state = tell(&format!("{DOUBT}; tell: 0; supply: 1"));
    let lines = transcript(&state);
    assert!(lines[2].starts_with("tool: [c0] Interrupted: it may or may not have happened"));
    assert_eq!(lines[3], "tool: [c1] supplied");
}

#[test]
fn s10_2_an_answer_to_nothing_pending_changes_nothing() {
    let state = tell(DOUBT);
    let answer = Answer::new("s/9/9".to_owned(), Verdict::Tell);
    assert!(state.decide(Input::Answer(answer.clone())).is_err());
    let event = legwork_core::Event::Answered(legwork_core::event::Answered { answer }.into());
    let after = state.clone().with(event);
    assert_eq!(after.execution(), state.execution());
    assert_eq!(after.context(), state.context());
}

#[test]
fn s10_2_an_outcome_that_comes_by_itself_ends_the_wait_for_it() {
    let state = tell(&format!("{DOUBT}; result: 0 late"));
    assert_eq!(state.pending().len(), 1);
    let state = go_on(state, "result: 1 late too");
    assert!(state.pending().is_empty());
    assert_eq!(state.status(), Some(&ExecutionStatus::InProgress));
}

#[test]
fn s1_6_a_tool_error_that_the_model_was_told_does_not_end_the_step() {
    let state = tell("user: hi; inference; calls: read; outcome: 0 failed; decides");
    assert_eq!(state.owed(), Owed::Infer);
    assert_eq!(state.last_step_result().unwrap().step.kind(), StepKind::ToolExecution);
    let message = state.context().transcript.messages().last().unwrap().clone();
    let Part::ToolResult(result) = &message.parts[0] else { panic!("no result") };
    assert!(result.is_error);
    assert_eq!(result.text(), "no such file");
}
