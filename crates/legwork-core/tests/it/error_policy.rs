//! S3.10, S6.4: error policies over sequences of steps, and the end that an error brings.

use std::sync::Arc;

use legwork_core::continuation::{
    ErrorHandler, ErrorPolicy, FailExecution, Reaction, defaults, evaluate,
};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::event::StepFinished;
use legwork_core::{
    AgentState, Criterion, Decision, Event, ExecutionStatus, Micros, StopReason, StopSignal,
    ToolOutcome,
};

use crate::story::{go_on, owes, tell, transcript};

/// The story of a step by what happened in it.
fn step(what: &str) -> String {
    let call = |outcome| format!("inference; calls: a; starts: 0; outcome: 0 {outcome}");
    match what {
        "well" => "inference; calls: a; starts: 0; result: 0 x".to_owned(),
        "done" => "inference; answer: done".to_owned(),
        "model" => "inference; fails as: model it is down".to_owned(),
        "rate_limit" => "inference; fails as: rate_limit too many".to_owned(),
        "slow" => "inference; fails as: timeout no answer".to_owned(),
        "cut" => "inference; cut: a".to_owned(),
        "invalid answer" => "inference; fails as: validation it does not fit".to_owned(),
        "unreadable" => "inference; answer: hm; unreadable: no decision in it".to_owned(),
        "hook" => "inference; answer: done; error: a hook broke".to_owned(),
        "both" => {
            "inference; calls: a, b; result: 0 x; starts: 1; outcome: 1 failed; error: a".to_owned()
        }
        outcome => call(outcome),
    }
}

fn said(decision: Option<Decision>) -> String {
    match decision {
        None => "-".to_owned(),
        Some(Decision::Request) => "asks".to_owned(),
        Some(Decision::Forbid(signal)) => {
            assert_eq!(signal.source, "errors");
            assert!(signal.limit.is_none(), "its numbers are in words");
            format!("stops: {}", signal.reason)
        }
        Some(other) => panic!("the policy votes {other:?}"),
    }
}

/// What a policy says at the end of each of some steps, the execution going on anyway.
#[track_caller]
fn check(policy: &ErrorPolicy, steps: &str, expected: &str) {
    let mut state = tell("user: hi");
    let mut votes = Vec::new();
    for what in steps.split(", ") {
        state = go_on(state, &step(what));
        votes.push(said(policy.decide(&state).unwrap()));
        state = go_on(state, "decides");
    }
    assert_eq!(votes.join(", "), expected, "{policy:?} at {steps}");
}

#[test]
fn s3_10_by_default_an_error_that_ends_a_step_stops_and_failed_calls_do_not() {
    let policy = ErrorPolicy::default();
    for what in ["model", "rate_limit", "slow", "cut"] {
        check(&policy, what, "stops: error");
    }
    for what in ["well", "done", "failed", "timeout", "invalid", "exhausted", "panicked", "retry"] {
        check(&policy, &format!("{what}, {what}, {what}, {what}"), "-, -, -, -");
    }
    check(&policy, "failed, hard", "-, stops: error");
}

#[test]
fn s3_10_errors_of_hooks_that_are_only_recorded_never_stop() {
    for policy in [ErrorPolicy::default(), ErrorPolicy::stop_on_any(), ErrorPolicy::retry_all(0)] {
        check(&policy, "hook, hook", "-, -");
    }
}

#[test]
fn s3_10_a_decision_that_cannot_be_read_is_asked_for_twice_more() {
    let policy = ErrorPolicy::default();
    let all = "unreadable, unreadable, unreadable";
    check(&policy, all, "asks, asks, stops: retry_limit");
    check(&policy, "unreadable, well, unreadable, unreadable", "asks, -, asks, asks");
    check(&ErrorPolicy::stop_on_any(), "unreadable", "stops: error");
    check(&ErrorPolicy::ignore_tool_errors(), all, "asks, asks, stops: retry_limit");
    check(&ErrorPolicy::retry_all(1), "unreadable, unreadable", "asks, stops: retry_limit");
    let never = ErrorPolicy::default().on(ErrorKind::Validation, Reaction::Stop);
    check(&never, "unreadable", "stops: error");
}

#[test]
fn s3_10_only_a_driver_that_could_not_read_a_decision_is_asked_again() {
    let policy = ErrorPolicy::default();
    check(&policy, "invalid answer", "stops: error");
    let error = ErrorRecord::new(ErrorSource::Driver, ErrorKind::Panicked, "it panicked");
    let state = tell("user: hi; inference; answer: hm").with_error(error);
    assert_eq!(said(policy.decide(&state).unwrap()), "stops: error");
}

#[test]
fn s3_10_failures_of_calls_are_of_the_kind_that_a_policy_names() {
    for (kind, of_it, others) in [
        (ErrorKind::Timeout, "timeout", "failed, invalid, exhausted, panicked"),
        (ErrorKind::Validation, "invalid", "failed, timeout, panicked"),
        (ErrorKind::Validation, "exhausted", "failed, timeout, panicked"),
        (ErrorKind::Tool, "failed", "timeout, invalid, exhausted"),
        (ErrorKind::Tool, "panicked", "timeout, invalid, exhausted"),
    ] {
        let policy = ErrorPolicy::default().on(kind, Reaction::Stop);
        check(&policy, of_it, "stops: error");
        check(&policy, others, &vec!["-"; others.split(", ").count()].join(", "));
    }
}

#[test]
fn s3_10_stop_on_any_stops_on_failed_calls_too() {
    let policy = ErrorPolicy::stop_on_any();
    for what in ["failed", "hard", "timeout", "invalid", "exhausted", "model", "cut", "both"] {
        check(&policy, what, "stops: error");
    }
    check(&policy, "well, done", "-, -");
    // A call that asks for a retry, is skipped or blocked has not failed.
    check(&policy, "retry, skipped, interrupted", "-, -, -");
}

#[test]
fn s3_10_retry_tool_errors_counts_steps_in_a_row() {
    let policy = ErrorPolicy::retry_tool_errors(2);
    check(&policy, "failed, timeout, hard", "asks, asks, stops: retry_limit");
    check(&policy, "failed, both, well, failed", "asks, asks, -, asks");
    check(&policy, "failed, model", "asks, stops: error");
    check(&ErrorPolicy::retry_tool_errors(0), "failed", "stops: retry_limit");
}

#[test]
fn s6_4_a_hard_failure_stops_unless_the_policy_says_otherwise() {
    check(&ErrorPolicy::default(), "hard", "stops: error");
    check(&ErrorPolicy::ignore_tool_errors(), "hard, failed, model", "-, -, stops: error");
    let told = ErrorPolicy::default().on(ErrorKind::Tool, Reaction::Ignore);
    check(&told, "hard", "-");
    let other = ErrorPolicy::default().on(ErrorKind::Timeout, Reaction::Ignore);
    check(&other, "hard", "stops: error");
}

#[test]
fn s3_10_retry_all_counts_tools_and_all_others_separately() {
    let policy = ErrorPolicy::retry_all(1);
    check(&policy, "model, cut", "asks, stops: retry_limit");
    check(&policy, "failed, hard", "asks, stops: retry_limit");
    check(&policy, "model, failed, model", "asks, asks, asks");
}

#[test]
fn s3_10_a_kind_with_a_reaction_is_counted_separately_and_the_latest_reaction_applies() {
    let policy = ErrorPolicy::default()
        .on(ErrorKind::RateLimit, Reaction::Retry(9))
        .on(ErrorKind::RateLimit, Reaction::Retry(1))
        .on(ErrorKind::Timeout, Reaction::Retry(1));
    check(&policy, "rate_limit, rate_limit", "asks, stops: retry_limit");
    check(&policy, "rate_limit, slow, rate_limit", "asks, asks, asks");
    check(&policy, "rate_limit, model", "asks, stops: error");
    // A kind is one wherever it comes from.
    check(&policy, "slow, timeout", "asks, stops: retry_limit");
    let strict = ErrorPolicy::default().on(ErrorKind::Validation, Reaction::Stop);
    check(&strict, "failed, invalid", "-, stops: error");
    check(&strict, "exhausted", "stops: error");
}

#[test]
fn s3_10_ignoring_what_ended_a_step_asks_for_another() {
    let policy = ErrorPolicy::new(Reaction::Stop, Reaction::Ignore);
    check(&policy, "model, cut, slow, unreadable", "asks, asks, asks, asks");
    check(&policy, "failed", "stops: error");
}

#[test]
fn s3_10_of_several_errors_in_a_step_the_strictest_reaction_counts() {
    let two = |first: &str, second: &str| {
        let calls = format!("outcome: 0 {first}; outcome: 1 {second}");
        tell(&format!("user: hi; inference; calls: a, b; {calls}"))
    };
    let policy = ErrorPolicy::retry_tool_errors(3).on(ErrorKind::Timeout, Reaction::Retry(0));
    for state in [two("failed", "timeout"), two("timeout", "failed")] {
        assert_eq!(said(policy.decide(&state).unwrap()), "stops: retry_limit");
    }
    let policy = policy.on(ErrorKind::Validation, Reaction::Stop);
    for state in [two("invalid", "timeout"), two("timeout", "invalid")] {
        assert_eq!(said(policy.decide(&state).unwrap()), "stops: error");
    }
}

#[test]
fn s3_10_the_words_say_what_failed_how_often_and_what_is_allowed() {
    let words = |policy: ErrorPolicy, story: &str| match policy.decide(&tell(story)).unwrap() {
        Some(Decision::Forbid(signal)) => signal.message,
        other => panic!("the policy votes {other:?}"),
    };
    let story = "user: hi; inference; calls: read; starts: 0; outcome: 0 failed";
    let tool = "tool `read` failed: no such file";
    assert_eq!(words(ErrorPolicy::stop_on_any(), story), format!("the {tool}"));
    let often = format!("{story}; decides; inference; calls: read; starts: 0; outcome: 0 failed");
    assert_eq!(
        words(ErrorPolicy::retry_tool_errors(1), &often),
        format!("2 steps in a row failed (tool), 1 may be retried; the last: the {tool}")
    );
    let none = ErrorPolicy::retry_all(0);
    assert_eq!(
        words(none, "user: hi; inference; fails as: rate_limit slow down"),
        "1 step failed (rate limit), 0 may be retried; the last: slow down"
    );
}

#[test]
fn s3_10_without_a_step_under_way_it_abstains() {
    assert_eq!(ErrorPolicy::stop_on_any().decide(&tell("user: hi")).unwrap(), None);
    let between = tell("user: hi; inference; fails: no; decides");
    assert_eq!(ErrorPolicy::stop_on_any().decide(&between).unwrap(), None);
}

#[test]
fn s1_6_a_call_that_a_hook_mended_has_not_failed() {
    let state = tell("user: hi; inference; calls: a; outcome: 0 hard");
    let mended = state.with_tool_outcome(0, ToolOutcome::text("never mind"));
    assert_eq!(ErrorPolicy::stop_on_any().decide(&mended).unwrap(), None);
}

/// The criteria that ship, with another error policy, at the end of a story.
fn stops(policy: ErrorPolicy, story: &str) -> String {
    let mut criteria = defaults();
    legwork_core::continuation::put(&mut criteria, Arc::new(policy));
    let outcome = evaluate(&criteria, &tell(story));
    outcome.stop_reason().map_or_else(|| "goes on".to_owned(), ToString::to_string)
}

#[test]
fn s3_10_a_retried_error_goes_on_with_the_default_criteria() {
    for what in ["model", "cut", "unreadable"] {
        let story = format!("user: hi; {}", step(what));
        assert_eq!(stops(ErrorPolicy::retry_all(1), &story), "goes on", "{what}");
        assert_eq!(stops(ErrorPolicy::retry_all(0), &story), "retry_limit", "{what}");
    }
    assert_eq!(ExecutionStatus::from(&StopReason::RetryLimit), ExecutionStatus::Failed);
}

#[test]
fn s3_10_after_an_error_that_ended_its_step_the_model_is_asked_anew() {
    let mut criteria = defaults();
    legwork_core::continuation::put(&mut criteria, Arc::new(ErrorPolicy::retry_all(1)));
    let end = |state: AgentState| {
        let outcome = evaluate(&criteria, &state);
        state.with(Event::StepFinished(StepFinished { outcome, took: Micros(1) }))
    };
    for what in ["model", "cut"] {
        let state = end(tell(&format!("user: hi; {}", step(what))));
        assert_eq!(owes(&state), "asks the model", "{what}");
        assert_eq!(transcript(&state), ["user: hi"], "{what}");
        let state = end(go_on(state, &step(what)));
        assert_eq!(owes(&state), "stops", "{what}");
        assert_eq!(state.step_results().count(), 2);
    }
}

fn handled(state: &AgentState, source: ErrorSource) -> legwork_core::continuation::Failure {
    FailExecution.handle(state, &ErrorRecord::new(source, ErrorKind::Model, "it is down"))
}

#[test]
fn s2_1_the_error_handler_yields_status_and_outcome() {
    let state = tell("user: hi; inference; calls: a, b; starts: 0; result: 0 x");
    let failure = handled(&state, ErrorSource::Model);
    assert_eq!(failure.status, ExecutionStatus::Failed);
    assert_eq!(failure.outcome.stop_reason(), Some(&StopReason::Error));
    assert_eq!(failure.outcome.explain(), "Stopping (error, by model): it is down.");
}

#[test]
fn s2_1_the_error_handler_says_where_an_error_came_from() {
    let by = |source| handled(&tell("user: hi"), source).outcome.by;
    assert_eq!(by(ErrorSource::Model), "model");
    assert_eq!(by(ErrorSource::Driver), "driver");
    assert_eq!(by(ErrorSource::Tool("c7".into())), "tool call c7");
    assert_eq!(by(ErrorSource::Hook("gate".into())), "gate");
    assert_eq!(by(ErrorSource::Criterion("short".into())), "short");
}

#[test]
fn s2_1_another_error_handler_may_end_it_otherwise() {
    struct Gentle;
    impl ErrorHandler for Gentle {
        fn handle(
            &self,
            _: &AgentState,
            error: &ErrorRecord,
        ) -> legwork_core::continuation::Failure {
            let signal = StopSignal::new(StopReason::StopRequested, "gentle", &error.message);
            let outcome = legwork_core::ContinuationOutcome::stop(signal);
            let status = ExecutionStatus::Stopped;
            legwork_core::continuation::Failure { status, outcome }
        }
    }
    let handler: &dyn ErrorHandler = &Gentle;
    let error = ErrorRecord::new(ErrorSource::Model, ErrorKind::Model, "no");
    assert_eq!(handler.handle(&tell("user: hi"), &error).status, ExecutionStatus::Stopped);
}
