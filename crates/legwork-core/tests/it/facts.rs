//! S1.3, S1.8, S10: what entries amount to in the facts of a session and in its calls.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::event::{Paused, Responded, ToolFinished, ToolStarted, Worked};
use legwork_core::state::{CallStatus, Judged, Seal, StepKind};
use legwork_core::tool::Metadata;
use legwork_core::{
    AgentState, EffectClass, EffectKey, ErrorKind, ErrorRecord, ErrorSource, Event,
    ExecutionStatus, Micros, Seq, SessionId, Timestamp, ToolOutcome,
};
use serde_json::{Value, json};

use crate::story::{asks, blank, go_on, infer, outcome, respond, says, stamp, tell, transcript};

fn worked(state: AgentState, millis: u64, rests: bool) -> AgentState {
    state.with(Event::Worked(Worked { rests, ..Worked::on(Micros(millis * 1_000)) }))
}

#[test]
fn s1_9_a_run_is_at_work_from_its_first_inference_until_it_rests() {
    let at_work = |story: &str| tell(story).facts().at_work.is_some();
    for story in [
        "user: hi; inference",
        "user: hi; inference; fails: no answer",
        "user: hi; inference; answer: done",
        "user: hi; inference; calls: a; starts: 0",
        "user: hi; inference; calls: a, b; starts: 0; result: 0 x",
        "user: hi; inference; calls: a; starts: 0; pauses: 0; run again: 0; starts: 0",
        // A call waits; others of the turn may still run.
        "user: hi; inference; calls: a; starts: 0; pauses: 0",
    ] {
        assert!(at_work(story), "{story}");
    }
    for story in [
        "",
        "user: hi",
        "user: hi; message: more",
        "user: hi; inference; answer: done; decides",
        "user: hi; inference; answer: done; decides; ends",
        "user: hi; inference; signal: user_requested; ends; user: again",
    ] {
        assert!(!at_work(story), "{story}");
    }
    let doubt = tell("user: hi; inference; calls: a; starts: 0");
    let nothing = doubt.clone().with(Event::Paused(Paused::default()));
    assert_eq!(nothing.facts().at_work, doubt.facts().at_work, "nothing pending is no rest");
    assert_eq!(
        worked(doubt.clone().at(stamp(2_000)), 5, false).facts().at_work,
        Some(Timestamp(2_000))
    );
    assert_eq!(worked(doubt, 5, true).facts().at_work, None);
}

#[test]
fn inbox_items_do_not_advance_an_execution() {
    let acted = |story: &str| tell(story).facts().acted;
    assert_eq!(
        (acted(""), acted("user: hi"), acted("user: hi; inference")),
        (Seq(0), Seq(1), Seq(2))
    );
    let state = tell("user: hi; inference");
    for left in ["steer: look", "follow up: then", "stop: enough"] {
        // A stop is raised in the execution; its item alone is none.
        let acted = go_on(state.clone(), left).facts().acted;
        let expected = if left.starts_with("stop") { Seq(4) } else { Seq(2) };
        assert_eq!(acted, expected, "{left}");
    }
    assert_eq!(worked(state.clone(), 5, false).facts().acted, Seq(2));
    assert_eq!(state.clone().with_instructions("other").facts().acted, Seq(2));
    assert_eq!(state.with_message("more").facts().acted, Seq(3));
}

#[test]
fn s1_9_executions_are_counted_and_a_follow_up_is_taken_once() {
    let state = tell("user: a; follow up: b; follow up: c; inference; answer: x; decides");
    assert_eq!((state.facts().executions, state.facts().follow_ups.len()), (1, 2));
    let state = go_on(state, "followed up; inference; answer: y; decides; ends; user: d");
    assert_eq!((state.facts().executions, state.facts().follow_ups.len()), (2, 1));
    assert_eq!(state.facts().follow_ups[0].text(), "c");
}

fn tokens(input: u64) -> Amounts {
    Amounts { input, ..Amounts::default() }
}

fn begins(state: AgentState, index: u32, reserved: Amounts) -> AgentState {
    let effect = EffectClass::ReadOnly;
    let started =
        ToolStarted { index, effect, arguments: None, child: None, reserved, again: false };
    state.with(Event::ToolStarted(started))
}

fn done(state: AgentState, index: u32, used: Amounts) -> AgentState {
    let (outcome, metadata) = (Arc::new(ToolOutcome::text("x")), Metadata::default());
    let finished = ToolFinished { index, outcome, took: Micros(5), metadata, used };
    state.with(Event::ToolFinished(finished))
}

#[test]
fn s5_4_the_reservation_of_a_call_lasts_until_its_outcome() {
    let held = |state: &AgentState| -> Vec<_> {
        let reserved = &state.ledger().reserved;
        reserved.iter().map(|held| (held.call, held.amounts.input)).collect()
    };
    let state = tell("user: hi; inference; calls: a, b, c");
    let state = begins(begins(begins(state, 0, tokens(7)), 1, tokens(9)), 2, tokens(0));
    assert_eq!(held(&state), [(Some(0), 7), (Some(1), 9)], "nothing is not held");
    assert_eq!(state.used().tool_calls, 3);
    let again = begins(state.clone(), 0, tokens(8));
    assert_eq!(held(&again), [(Some(1), 9), (Some(0), 8)], "in the place of what was held");
    let state = done(state, 0, tokens(3));
    assert_eq!(held(&state), [(Some(1), 9)]);
    assert_eq!(state.used().input, 103);
}

#[test]
fn s5_2_a_step_is_charged_when_its_inference_begins_and_not_reserved() {
    let state = infer(tell("user: hi"), 10, 20);
    assert_eq!((state.used().steps, state.ledger().used_and_reserved().steps), (1, 1));
    assert_eq!(state.ledger().inference().unwrap().amounts.total_tokens(), 30);
}

#[test]
fn s1_8_time_that_was_charged_is_not_charged_again() {
    let state = tell("user: hi; inference; answer: done").at(stamp(1_060));
    assert_eq!(state.step_time(), Micros(60_000));
    let state = worked(state, 60, false).at(stamp(1_100));
    assert_eq!(state.step_time(), Micros(40_000));
    assert_eq!(state.current_step().unwrap().worked, Micros(60_000));
    let state = go_on(state, "decides");
    assert_eq!(state.last_step_result().unwrap().took, Micros(61_000));
    assert_eq!(state.used().active_time, Micros(61_000));
}

#[test]
fn s6_3_attempts_are_numbered_until_the_tool_succeeds() {
    let attempt = |story: &str| {
        let state = tell(&format!("user: hi; {story}"));
        let last = state.last_step_result().unwrap().step.clone();
        last.tool_executions().next().unwrap().attempt
    };
    let turn = |outcome: &str| format!("inference; calls: a; {outcome}; decides;");
    let (retry, soft, well) =
        (turn("outcome: 0 retry"), turn("outcome: 0 failed"), turn("result: 0 x"));
    assert_eq!(attempt(&well), 1);
    assert_eq!(attempt(&[&*retry, &retry, &retry].concat()), 3);
    assert_eq!(attempt(&[&*retry, &soft, &well].concat()), 2, "a soft failure counts for neither");
    assert_eq!(attempt(&[&*retry, &well, &well].concat()), 1);
}

#[test]
fn s6_3_a_success_without_earlier_retries_copies_no_counts() {
    let before = tell("user: hi; inference; calls: a, b; outcome: 0 retry");
    let after = go_on(before.clone(), "result: 1 x");
    let retries = |state: &AgentState| Arc::clone(&state.execution().unwrap().retries);
    assert!(Arc::ptr_eq(&retries(&before), &retries(&after)));
}

#[test]
fn a_call_that_is_done_keeps_the_class_that_it_ran_under() {
    let effect = |story: &str| {
        let state = tell(&format!("user: hi; inference; calls: a, b; {story}"));
        state.current_step().unwrap().calls.get(0).unwrap().execution().unwrap().effect
    };
    assert_eq!(effect("starts: 0 read only; result: 0 x"), Some(EffectClass::ReadOnly));
    assert_eq!(effect("starts: 0 idempotent; result: 0 x"), Some(EffectClass::Idempotent));
    assert_eq!(effect("outcome: 0 skipped"), None, "it did not run");
}

#[test]
fn s10_2_of_several_that_wait_the_one_answered_waits_no_longer() {
    let doubt = "user: hi; inference; calls: a, b, c; starts: 0; starts: 1; pauses: 0, 1";
    let waits = |story: &str| {
        let state = tell(&format!("{doubt}; {story}"));
        (0..4).filter(|index| state.is_pending(*index)).collect::<Vec<_>>()
    };
    assert_eq!(waits(""), [0, 1]);
    assert_eq!(waits("tell: 0"), [1]);
    assert_eq!(waits("tell: 1"), [0]);
    assert_eq!(waits("run again: 1"), [0]);
    assert_eq!(waits("result: 1 x"), [0]);
    assert_eq!(waits("result: 2 x"), [0, 1]);
    assert!(waits("tell: 0; tell: 1").is_empty());
}

#[test]
fn s8_2_a_message_steered_in_lets_no_execution_go_on_that_ended() {
    let ended = tell("user: hi; inference; answer: done; decides; ends");
    let steered = go_on(ended.clone(), "steer: look");
    assert_eq!(steered.continuation_outcome(), ended.continuation_outcome());
    assert_eq!(steered.status(), Some(&ExecutionStatus::Completed));
    // One that was about to stop goes on, but for a stop that cannot be prevented.
    let by = |story: &str| {
        let state = tell(&format!("user: hi; inference; {story}; decides; steer: look"));
        state.continuation_outcome().unwrap().by.clone()
    };
    assert_eq!(by("answer: done"), "steering");
    assert_eq!(by("answer: done; signal: user_requested"), "signals");
    assert_eq!(by("calls: a; result: 0 x"), "tool_calls_present");
}

#[test]
fn what_belongs_to_no_step_changes_no_conversation() {
    let response = Arc::new(says("late"));
    let charged = Amounts::default();
    let late = tell("user: hi").with(Event::Responded(Responded { response, charged }));
    assert_eq!(transcript(&late), ["user: hi"]);
}

#[test]
fn s1_6_the_error_that_ends_an_execution_is_known() {
    let failed = tell("user: hi; inference; fails: no answer");
    assert_eq!(failed.ending_error(), None, "nothing was decided");
    let failed = go_on(failed, "decides");
    assert_eq!(failed.ending_error().unwrap().message, "no answer");
    assert_eq!(failed.ending_error(), failed.errors().next());
    assert_eq!(tell("user: hi; inference; answer: x; decides").ending_error(), None);
}

#[test]
fn s1_6_what_an_error_means_follows_from_its_source_and_its_kind() {
    use ErrorKind::{Budget, Configuration, Incomplete, Model, RateLimit, Timeout, Validation};
    let error = |source: ErrorSource, kind: ErrorKind| ErrorRecord::new(source, kind, "it broke");
    let sources = [
        (ErrorSource::Model, true),
        (ErrorSource::Driver, true),
        (ErrorSource::Criterion("c".into()), true),
        (ErrorSource::Tool("c0".into()), false),
        (ErrorSource::Hook("h".into()), false),
    ];
    for (source, ends) in sources {
        assert_eq!(error(source, Model).ends_step(), ends);
    }
    let passes = |source: fn() -> ErrorSource| {
        let kinds = [Model, RateLimit, Timeout, Incomplete, Configuration, Validation, Budget];
        kinds.map(|kind| error(source(), kind).may_pass())
    };
    assert_eq!(passes(|| ErrorSource::Model), [true, true, true, true, true, false, false]);
    assert_eq!(passes(|| ErrorSource::Driver), [false, false, false, false, true, false, false]);
    assert_eq!(passes(|| ErrorSource::Tool("c0".into())), [false; 7]);
    assert_eq!(passes(|| ErrorSource::Hook("h".into())), [false; 7]);
    assert_eq!(passes(|| ErrorSource::Criterion("c".into())), [false; 7]);
}

#[test]
fn a_step_is_what_came_of_it() {
    let kind =
        |story: &str| tell(&format!("user: hi; inference; {story}")).current_step().unwrap().kind();
    assert_eq!(kind(""), StepKind::Error);
    assert_eq!(kind("answer: done"), StepKind::FinalResponse);
    assert_eq!(kind("calls: a"), StepKind::ToolExecution);
    assert_eq!(kind("cut: a"), StepKind::Error);
    assert_eq!(kind("answer: done; error: a hook broke"), StepKind::Error);
}

#[test]
fn s10_2_an_effect_names_the_session_that_its_subagent_works_in() {
    let key = EffectKey { session: SessionId::new("s"), entry: Seq(3), index: 1 };
    assert_eq!((key.child(), key.to_string()), (SessionId::new("s.3-1"), "s/3/1".to_owned()));
}

#[test]
fn the_arguments_of_a_call_may_be_parsed_before_it_runs() {
    let value = Arc::new(json!({"n": 1}));
    let judged = Judged::of(Arc::clone(&value));
    assert_eq!((&judged.arguments, &judged.value), (&None, &Some(value)));
    let state = tell("user: hi; inference; calls: a, b").with_judged(1, judged.clone());
    assert_eq!((state.judged(1), state.judged(0), state.judged(2)), (Some(&judged), None, None));
}

#[test]
fn s7_1_a_call_is_judged_by_one_seal_at_one_index_of_one_response() {
    let (seal, other) = (Seal::default(), Seal::default());
    let state = tell("user: hi; inference; calls: a, b");
    let judged = state.clone().with_judged_by(&seal, 1, Judged::default());
    assert!(judged.is_judged_by(&seal, 1) && judged.is_judged_by(&seal.clone(), 1));
    assert!(!judged.is_judged_by(&other, 1), "another seal");
    assert!(!judged.is_judged_by(&seal, 0), "another call");
    let moved = judged.judged(1).unwrap().clone();
    let swapped = state.with_judged(0, moved.clone());
    assert!(!swapped.is_judged_by(&seal, 0), "what was judged as another call");
    let later =
        tell("user: hi; inference; calls: a, b; result: 0 x; result: 1 y; inference; calls: a, b");
    assert!(!later.with_judged(1, moved).is_judged_by(&seal, 1), "of another response");
}

#[test]
fn a_call_runs_with_the_arguments_that_it_was_begun_with() {
    let begun = |arguments: Option<&str>| {
        let state = respond(tell("user: hi; inference"), asks("a"), None);
        let (effect, reserved) = (EffectClass::ReadOnly, Amounts::default());
        let arguments = arguments.map(Arc::from);
        let started =
            ToolStarted { index: 0, effect, arguments, child: None, reserved, again: false };
        let state = state.with(Event::ToolStarted(started));
        state.current_step().unwrap().calls.get(0).unwrap().clone()
    };
    assert_eq!(&**begun(None).arguments(), "{}");
    assert_eq!(&**begun(Some("{\"n\":1}")).arguments(), "{\"n\":1}");
    assert_eq!(begun(None).status, CallStatus::Started(EffectClass::ReadOnly));
}

/// The state read from its JSON with one value of it changed.
fn changed(state: &AgentState, pointer: &str, value: Value) -> AgentState {
    let mut json = serde_json::to_value(state).unwrap();
    *json.pointer_mut(pointer).unwrap() = value;
    serde_json::from_value(json).unwrap()
}

#[test]
fn s1_7_states_are_equal_when_facts_conversation_and_execution_are() {
    let state = tell("user: hi; inference");
    assert_eq!(changed(&state, "/facts/executions", json!(1)), state);
    assert!(changed(&state, "/facts/executions", json!(2)) != state);
    assert!(changed(&state, "/context/metadata", json!({"k": 1})) != state);
    assert!(changed(&state, "/execution/status", json!("failed")) != state);
    // What is transient does not count, and what is uncommitted neither.
    let provisional = Some(outcome(&state));
    assert_eq!(state.clone().with_provisional_outcome(provisional).committed(), state);
    assert!(blank() != state);
}

#[test]
fn s1_2_a_state_that_was_read_takes_changes_as_the_one_written_did() {
    let state = tell("user: hi; inference; calls: a, b; result: 0 x; result: 1 y; message: so");
    let read: AgentState = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
    let change = |state: AgentState| state.with_tool_outcome(1, ToolOutcome::text("z"));
    let expected =
        ["user: hi", "assistant: [c0 a] [c1 b]", "tool: [c0] x", "tool: [c1] z", "user: so"];
    assert_eq!(transcript(&change(state)), expected);
    assert_eq!(transcript(&change(read)), expected);
    let result = tell("user: hi; inference; calls: a, b; result: 0 x; outcome: 1 failed");
    let messages = result.context().transcript.messages();
    let is_error: Vec<_> = messages
        .iter()
        .flat_map(|message| &message.parts)
        .filter_map(|part| match part {
            legwork_core::Part::ToolResult(result) => Some(result.is_error),
            _ => None,
        })
        .collect();
    assert_eq!(is_error, [false, true]);
}
