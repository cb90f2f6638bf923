//! S3.2, S3.6: each limit alone, at its boundary, from the budget and with its own number.

use std::time::Duration;

use legwork_core::budget::{Amounts, Budget, MicroUsd};
use legwork_core::continuation::{
    CostLimit, CumulativeTimeLimit, Deadline, Kind, RetryLimit, StepsLimit, TimeLimit, TokenLimit,
    ToolCallsLimit, defaults, evaluate, put, remove,
};
use legwork_core::event::{Responded, StepFinished};
use legwork_core::{
    AgentState, ContinuationOutcome, Criterion, Decision, Event, Micros, StopReason, StopSignal,
    Timestamp,
};

use crate::story::{blank, go_on, says, stamp, tell};

/// One step with one call: 100 tokens in, 10 out.
const TURN: &str = "user: hi; inference; calls: a; starts: 0; result: 0 x";

fn signal(limit: &dyn Criterion, state: &AgentState) -> Option<StopSignal> {
    let kind = if limit.name() == "tool_calls_limit" { Kind::Calls } else { Kind::Limit };
    assert_eq!(limit.kind(), kind, "{}", limit.name());
    match limit.decide(state).unwrap() {
        None => None,
        Some(Decision::Forbid(signal)) => {
            assert_eq!(signal.source, limit.name());
            Some(signal)
        }
        other => panic!("{} votes {other:?}", limit.name()),
    }
}

/// Whether it forbids and with which numbers, as in `steps_limit: 1 of 1 steps`.
fn says_of(limit: &dyn Criterion, state: &AgentState) -> String {
    let Some(signal) = signal(limit, state) else { return "nothing".to_owned() };
    let numbers = signal.limit.unwrap();
    assert!(numbers.wanted == 1 || limit.kind() == Kind::Calls);
    format!("{}: {} of {} {}", signal.reason, numbers.used, numbers.limit, numbers.dimension)
}

#[track_caller]
fn check(limit: impl Criterion, state: &AgentState, expected: &str) {
    assert_eq!(says_of(&limit, state), expected, "{}", limit.name());
}

fn with(budget: Budget, story: &str) -> AgentState {
    go_on(blank().with_budget(budget), story)
}

#[test]
fn s3_2_steps() {
    let state = tell(TURN);
    check(StepsLimit::new(), &state, "nothing");
    check(StepsLimit::at(2), &state, "nothing");
    check(StepsLimit::at(1), &state, "steps_limit: 1 of 1 steps");
    check(StepsLimit::at(0), &state, "steps_limit: 1 of 0 steps");
    let two = tell(&format!("{TURN}; decides; inference; calls: b"));
    check(StepsLimit::at(2), &two, "steps_limit: 2 of 2 steps");
}

#[test]
fn s3_2_tokens_of_input_output_and_both() {
    let state = tell(TURN);
    check(TokenLimit::new(), &state, "nothing");
    check(TokenLimit::at(111), &state, "nothing");
    check(TokenLimit::at(110), &state, "token_limit: 110 of 110 total_tokens");
    check(TokenLimit::new().input(101).output(11), &state, "nothing");
    check(TokenLimit::new().input(100), &state, "token_limit: 100 of 100 input_tokens");
    check(TokenLimit::new().output(10), &state, "token_limit: 10 of 10 output_tokens");
    // The first that is reached is the vote.
    let all = TokenLimit::at(1).input(101).output(1);
    check(all, &state, "token_limit: 10 of 1 output_tokens");
}

#[test]
fn s3_2_money() {
    let cost = MicroUsd(2_500);
    let charged = Amounts { cost, ..Amounts::default() };
    let response = std::sync::Arc::new(says("hm"));
    let state = tell("user: hi; inference");
    let state = state.with(Event::Responded(Responded { response, charged }));
    check(CostLimit::new(), &state, "nothing");
    check(CostLimit::at(MicroUsd(2_501)), &state, "nothing");
    check(CostLimit::at(cost), &state, "cost_limit: 2500 of 2500 cost");
    let words = signal(&CostLimit::at(cost), &state).unwrap().message;
    assert_eq!(words, "the limit of $0.0025 leaves no room: $0.0025 used, $0.000001 wanted");
}

#[test]
fn s3_2_tool_calls() {
    let turn = "inference; calls: a, b; starts: 0; starts: 1; result: 0 x; result: 1 y; decides";
    let used = tell(&format!("user: hi; {turn}"));
    // What is used up forbids no step: the model may answer.
    check(ToolCallsLimit::at(2), &used, "nothing");
    check(ToolCallsLimit::at(0), &go_on(used.clone(), "inference; answer: done"), "nothing");
    // Calls that are to begin are checked together with those that began.
    let state = go_on(used, "inference; calls: a, b");
    check(ToolCallsLimit::new(), &state, "nothing");
    check(ToolCallsLimit::at(4), &state, "nothing");
    check(ToolCallsLimit::at(3), &state, "tool_calls_limit: 2 of 3 tool_calls");
    assert_eq!(signal(&ToolCallsLimit::at(3), &state).unwrap().limit.unwrap().wanted, 2);
    // What began is used, what is over and never began is neither.
    check(ToolCallsLimit::at(4), &go_on(state.clone(), "starts: 0"), "nothing");
    check(ToolCallsLimit::at(3), &go_on(state, "starts: 0; outcome: 1 skipped"), "nothing");
}

#[test]
fn s3_2_wall_time() {
    let state = tell(TURN);
    check(Deadline::new(), &state, "nothing");
    check(Deadline::at(Timestamp(1_001)), &state, "nothing");
    check(Deadline::at(Timestamp(1_000)), &state, "time_limit: 1000 of 1000 deadline");
}

/// The end of a step that was at work so long.
fn took(state: AgentState, millis: u64) -> AgentState {
    let outcome = std::sync::Arc::new(ContinuationOutcome::go_on("test"));
    state.with(Event::StepFinished(StepFinished { outcome, took: Micros(millis * 1_000) }))
}

#[test]
fn s3_2_active_time_counts_finished_steps_and_the_current_one() {
    let at = |millis| TimeLimit::at(Duration::from_millis(millis));
    let ended = took(tell(TURN), 400);
    check(TimeLimit::new(), &ended, "nothing");
    check(at(401), &ended, "nothing");
    check(at(400), &ended, "time_limit: 400000 of 400000 active_time");
    // Between steps the clock is not at work.
    let later = ended.at(stamp(9_000));
    check(at(401), &later, "nothing");
    let under_way = go_on(later, "inference").at(stamp(9_050));
    check(at(451), &under_way, "nothing");
    check(at(450), &under_way, "time_limit: 450000 of 450000 active_time");
}

#[test]
fn s3_2_cumulative_time_counts_all_executions() {
    let first = took(tell(TURN), 400);
    let second = go_on(first, "signal: stop_requested; ends; user: again; inference");
    let state = second.at(stamp(1_100));
    check(TimeLimit::at(Duration::from_millis(101)), &state, "nothing");
    let at = |millis| CumulativeTimeLimit::at(Duration::from_millis(millis));
    check(at(501), &state, "nothing");
    check(at(500), &state, "time_limit: 500000 of 500000 cumulative_time");
    let words = signal(&at(500), &state).unwrap().message;
    let told = "the limit of 500.0ms of active time in all executions leaves no room: 500.0ms used";
    assert_eq!(words, told);
}

#[test]
fn s3_2_retries_count_erroneous_steps_in_a_row() {
    let failing = "inference; fails: no answer; decides";
    let story = |steps: &str| tell(&format!("user: hi; {steps}"));
    let one = story("inference; fails: no answer");
    check(RetryLimit::at(1), &one, "nothing");
    check(RetryLimit::at(0), &one, "retry_limit: 0 of 0 retries");
    let three = story(&format!("{failing}; {failing}; inference; cut: a"));
    check(RetryLimit::at(3), &three, "nothing");
    check(RetryLimit::at(2), &three, "retry_limit: 2 of 2 retries");
    let words = signal(&RetryLimit::at(2), &three).unwrap().message;
    assert_eq!(words, "the limit of 2 retries leaves no room: 2 used, 1 wanted");
    // A step that does well ends the row.
    let mended = story(&format!("{failing}; inference; calls: a; result: 0 x; decides; {failing}"));
    check(RetryLimit::at(1), &mended, "nothing");
    check(RetryLimit::at(0), &tell("user: hi; inference; answer: done"), "nothing");
    check(RetryLimit::at(0), &tell("user: hi"), "nothing");
}

#[test]
fn s3_2_retries_count_steps_in_which_any_tool_asked_for_one() {
    let asks = |tool: &str| format!("inference; calls: {tool}; outcome: 0 retry; decides;");
    let state = tell(&format!("user: hi; {} {} {}", asks("a"), asks("b"), asks("c")));
    check(RetryLimit::at(3), &state, "nothing");
    check(RetryLimit::at(2), &state, "retry_limit: 2 of 2 retries");
}

#[test]
fn s3_6_every_limit_has_the_name_that_it_is_known_by() {
    let limits: [(&str, Box<dyn Criterion>); 8] = [
        ("steps_limit", Box::new(StepsLimit::at(1))),
        ("token_limit", Box::new(TokenLimit::at(1))),
        ("cost_limit", Box::new(CostLimit::at(MicroUsd(0)))),
        ("time_limit", Box::new(TimeLimit::at(Duration::ZERO))),
        ("deadline", Box::new(Deadline::at(Timestamp(1)))),
        ("cumulative_time_limit", Box::new(CumulativeTimeLimit::at(Duration::ZERO))),
        ("retry_limit", Box::new(RetryLimit::at(0))),
        ("tool_calls_limit", Box::new(ToolCallsLimit::at(0))),
    ];
    let all = format!("{TURN}; decides; inference; calls: a; outcome: 0 retry");
    for (name, limit) in limits {
        assert_eq!(limit.name(), name);
        assert!(limit.kind() != Kind::Ordinary, "{name}");
        assert!(signal(&*limit, &tell(&all)).is_some() || name == "tool_calls_limit", "{name}");
    }
}

#[test]
fn s3_2_retries_count_a_tool_that_fails_beside_others_that_do_well() {
    let failing = "inference; calls: a; outcome: 0 retry; decides";
    let well = "inference; calls: b; result: 0 x; decides";
    let state = tell(&format!("user: hi; {failing}; {well}; {failing}; {well}"));
    check(RetryLimit::at(2), &state, "nothing");
    check(RetryLimit::at(1), &state, "retry_limit: 1 of 1 retries");
}

#[test]
fn s3_6_limits_read_the_budget_of_the_moment_and_an_own_number_stands_in_its_place() {
    let state = with(Budget::unlimited().steps(1).tokens(1).tool_calls(1), TURN);
    check(StepsLimit::new(), &state, "steps_limit: 1 of 1 steps");
    check(StepsLimit::at(5), &state, "nothing");
    check(TokenLimit::new().input(9_999), &state, "token_limit: 110 of 1 total_tokens");
    check(TokenLimit::at(9_999), &state, "nothing");
    let calls = go_on(state.clone(), "decides; inference; calls: b");
    check(ToolCallsLimit::new(), &calls, "tool_calls_limit: 1 of 1 tool_calls");
    check(ToolCallsLimit::at(2), &calls, "nothing");
    let raised = state.with_budget(Budget::unlimited().steps(2));
    check(StepsLimit::new(), &raised, "nothing");
}

#[test]
fn s3_6_the_shipped_criteria_have_names_to_be_changed_and_switched_off_by() {
    let mut criteria = defaults();
    let names = |criteria: &[std::sync::Arc<dyn Criterion>]| {
        criteria.iter().map(|criterion| criterion.name().to_owned()).collect::<Vec<_>>()
    };
    let shipped = [
        "signals",
        "errors",
        "steps_limit",
        "token_limit",
        "cost_limit",
        "time_limit",
        "deadline",
        "tool_calls_limit",
        "tool_calls_present",
        "output_accepted",
        "finish_reason",
    ];
    assert_eq!(names(&criteria), shipped);
    let state = with(Budget::guards().steps(1), TURN);
    let reason = |criteria: &[_]| evaluate(criteria, &state).stop_reason().cloned();
    assert_eq!(reason(&criteria), Some(StopReason::StepsLimit));
    put(&mut criteria, std::sync::Arc::new(StepsLimit::at(2)));
    assert_eq!(names(&criteria), shipped, "it replaces the one of its name");
    assert_eq!(reason(&criteria), None);
    put(&mut criteria, std::sync::Arc::new(RetryLimit::at(3)));
    assert_eq!(names(&criteria).last().unwrap(), "retry_limit");
    put(&mut criteria, std::sync::Arc::new(StepsLimit::new()));
    assert_eq!(remove(&mut criteria, "steps_limit"), Ok(()));
    let gone = remove(&mut criteria, "steps_limit").unwrap_err().to_string();
    assert!(gone.starts_with("there is no criterion `steps_limit`: there are "), "{gone}");
    assert_eq!(reason(&criteria), None);
}
