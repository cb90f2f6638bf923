//! S3: votes, limits, and what the shipped criteria say.

use legwork_core::budget::{Budget, Dimension, Exhausted};
use legwork_core::continuation::{Vote, resolve};
use legwork_core::{
    AgentState, ContinuationOutcome, Decision, ExecutionStatus, FinishReason, StopReason,
    StopSignal,
};

use crate::story::{blank, go_on, outcome, owes, respond, says, tell};

fn forbid(reason: StopReason) -> Decision {
    Decision::Forbid(StopSignal::new(reason, "f", "it is over"))
}

fn stop(reason: StopReason) -> Decision {
    Decision::Stop(StopSignal::new(reason, "s", "it is done"))
}

fn votes(decisions: &[Decision]) -> Vec<Vote> {
    let named = decisions.iter().enumerate();
    named.map(|(n, d)| Vote { by: format!("v{n}"), decision: d.clone() }).collect()
}

/// Resolves votes in the order given and backwards, and says it in a word or two.
#[track_caller]
fn check(decisions: &[Decision], expected: &str) {
    let forwards = votes(decisions);
    let backwards: Vec<_> = forwards.iter().rev().cloned().collect();
    let outcome = resolve(&forwards);
    assert_eq!(resolve(&backwards), outcome, "the order of votes matters");
    let said = match outcome.stop_reason() {
        None => format!("goes on by {}", outcome.by),
        Some(reason) => format!("stops: {reason}"),
    };
    assert_eq!(said, expected);
    assert_eq!(outcome.should_continue(), expected.starts_with("goes on"));
}

#[test]
fn s3_1_any_forbid_stops_else_any_request_goes_on_else_any_stop_stops() {
    use Decision::{Allow, Request};
    use StopReason::{Completed, Error, FinishReason, StepsLimit};
    check(&[], "stops: unknown");
    check(&[Allow], "goes on by v0");
    check(&[Request], "goes on by v0");
    check(&[stop(Completed)], "stops: completed");
    check(&[forbid(Error)], "stops: error");
    check(&[Allow, stop(Completed)], "stops: completed");
    check(&[Allow, Request], "goes on by v1");
    check(&[stop(Completed), Request], "goes on by v1");
    check(&[Allow, stop(FinishReason), Request, forbid(StepsLimit)], "stops: steps_limit");
    check(&[Request, forbid(StepsLimit)], "stops: steps_limit");
    // A stop of a higher priority does not outvote the kind of a forbid.
    check(&[stop(Error), forbid(StopReason::RetryLimit)], "stops: retry_limit");
}

#[test]
fn s3_1_the_reasons_win_in_the_order_of_the_table() {
    let table = [
        "error",
        "stop_requested",
        "user_requested",
        "steps_limit",
        "token_limit",
        "cost_limit",
        "time_limit",
        "tool_calls_limit",
        "retry_limit",
        "finish_reason",
        "completed",
        "unknown",
    ];
    for (priority, name) in table.iter().enumerate() {
        let reason = StopReason::from(*name);
        assert!(!matches!(reason, StopReason::Other(_)), "{name} is not known");
        assert_eq!(usize::from(reason.priority()), priority, "{name}");
        assert_eq!(reason.forbids(), !matches!(*name, "finish_reason" | "completed"), "{name}");
        assert_eq!(reason.is_limit(), name.ends_with("_limit"), "{name}");
    }
    for pair in table.windows(2) {
        let [first, second] = [pair[0], pair[1]].map(StopReason::from);
        check(&[forbid(second), forbid(first.clone())], &format!("stops: {first}"));
    }
    // A reason of a newer version is as weak as unknown, and cannot be prevented.
    let newer = StopReason::from("moon_phase");
    assert_eq!(newer.priority(), 11);
    assert!(newer.forbids() && !newer.is_limit());
}

fn limited(budget: Budget) -> AgentState {
    blank().with_budget(budget)
}

#[test]
fn s5_1_each_dimension_stops_for_its_reason() {
    for (dimension, reason) in [
        ("steps", "steps_limit"),
        ("tool_calls", "tool_calls_limit"),
        ("input_tokens", "token_limit"),
        ("output_tokens", "token_limit"),
        ("total_tokens", "token_limit"),
        ("cost", "cost_limit"),
        ("active_time", "time_limit"),
        ("deadline", "time_limit"),
        ("moon_phase", "unknown"),
    ] {
        let dimension = Dimension::from(dimension);
        assert_eq!(StopReason::from(&dimension), StopReason::from(reason), "{dimension}");
    }
}

#[test]
fn s3_2_a_final_answer_in_the_last_allowed_step_is_completed() {
    let state = go_on(limited(Budget::unlimited().steps(1)), "user: hi; inference; answer: done");
    assert!(state.ledger().forbids_step(state.now().wall).is_some());
    assert_eq!(outcome(&state).stop_reason(), Some(&StopReason::Completed));
}

#[test]
fn s3_2_a_limit_forbids_the_next_step_where_the_turn_would_go_on() {
    let turn = "user: hi; inference; calls: a; starts: 0; result: 0 x";
    let table = [
        (Budget::unlimited().steps(1), "steps_limit"),
        (Budget::unlimited().tokens(110), "token_limit"),
        (Budget::unlimited().input_tokens(100), "token_limit"),
        (Budget::unlimited().output_tokens(10), "token_limit"),
        (Budget::unlimited().deadline(legwork_core::Timestamp(1_000)), "time_limit"),
        (Budget::unlimited().time(std::time::Duration::ZERO), "time_limit"),
        (Budget { cost: Some(Default::default()), ..Budget::unlimited() }, "cost_limit"),
    ];
    for (budget, reason) in table {
        let state = go_on(limited(budget.clone()), turn);
        let outcome = outcome(&state);
        assert_eq!(outcome.stop_reason().map(ToString::to_string).as_deref(), Some(reason));
        let limit = outcome.signal.as_ref().unwrap().limit.as_ref().unwrap();
        assert_eq!(Some(limit.limit), budget.limit(&limit.dimension), "{reason}");
        assert!(limit.used >= limit.limit, "{reason}");
        assert!(outcome.explain().contains(&limit.to_string()), "{}", outcome.explain());
    }
    // The model sees what the last allowed call gave.
    let roomy = Budget::unlimited().steps(2).tokens(111).tool_calls(1);
    assert!(outcome(&go_on(limited(roomy), turn)).should_continue());
}

#[test]
fn limits_are_displayed_in_readable_units() {
    let told =
        |dimension, limit, used, wanted| Exhausted { dimension, limit, used, wanted }.to_string();
    let table = [
        (
            told(Dimension::Cost, 500_000, 499_987, 12_800),
            "$0.50 leaves no room: $0.499987 used, $0.0128 wanted",
        ),
        (
            told(Dimension::ActiveTime, 60_000_000, 61_250_000, 1),
            "60.0s of active time leaves no room: 61.2s used",
        ),
        (told(Dimension::InputTokens, 9, 8, 7), "9 input tokens leaves no room: 8 used, 7 wanted"),
        (
            told(Dimension::TotalTokens, 500, 0, 1_030),
            "500 total tokens leaves no room: 0 used, 1030 wanted, which includes the shortest \
             answer allowed (`output_floor`)",
        ),
    ];
    for (told, words) in table {
        assert_eq!(told, format!("the limit of {words}"));
    }
    assert_eq!(told(Dimension::Deadline, 1, 2, 1), "the deadline has passed");
}

#[test]
fn s3_3_answered_calls_ask_to_go_on_whatever_the_finish_reason() {
    let mut response = crate::story::asks("a");
    response.finish = FinishReason::Stop;
    let state = respond(tell("user: hi; inference"), response, None);
    let state = go_on(state, "result: 0 x");
    let outcome = outcome(&state);
    assert!(outcome.should_continue());
    assert_eq!(outcome.by, "tool_calls_present");
    // Beside answered calls the finish reason says nothing at all.
    assert!(outcome.votes.iter().all(|vote| vote.by != "finish_reason"));
}

#[test]
fn s3_3_without_answered_calls_it_abstains() {
    for story in ["user: hi; inference; answer: done", "user: hi; inference; cut: a"] {
        let outcome = outcome(&tell(story));
        assert!(!outcome.should_continue(), "{story}");
        assert!(outcome.votes.iter().all(|vote| vote.by != "tool_calls_present"), "{story}");
    }
}

#[test]
fn s3_3_finish_reasons_stop_with_the_reason_they_mean() {
    let table = [
        (FinishReason::Stop, StopReason::Completed),
        (FinishReason::ToolCalls, StopReason::Completed),
        (FinishReason::Length, StopReason::FinishReason),
        (FinishReason::ContentFilter, StopReason::FinishReason),
    ];
    for (finish, reason) in table {
        let mut response = says("hm");
        response.finish = finish.clone();
        let state = respond(tell("user: hi; inference"), response, None);
        assert_eq!(outcome(&state).stop_reason(), Some(&reason), "{finish}");
    }
}

#[test]
fn s3_4_an_outcome_keeps_every_vote_that_is_no_plain_allow_and_explains_itself() {
    let outcome = resolve(&votes(&[
        Decision::Allow,
        Decision::Request,
        stop(StopReason::Completed),
        forbid(StopReason::StepsLimit),
        forbid(StopReason::Error),
    ]));
    assert_eq!(outcome.by, "v4");
    let kept: Vec<_> = outcome.votes.iter().map(|vote| vote.by.as_str()).collect();
    assert_eq!(kept, ["v1", "v2", "v3", "v4"], "the one that resolved it is among them");
    assert_eq!(outcome.explain(), "Stopping (error, by f): it is over.");
    assert_eq!(ContinuationOutcome::go_on("x").explain(), "Continuing: x asked to.");
    let text = serde_json::to_string(&outcome).unwrap();
    assert_eq!(serde_json::from_str::<ContinuationOutcome>(&text).unwrap(), outcome);
}

#[test]
fn s3_4_a_limit_says_its_numbers() {
    let (dimension, limit, used, wanted) = (Dimension::Steps, 20, 20, 1);
    let signal = StopSignal::limit("steps_limit", Exhausted { dimension, limit, used, wanted });
    let told = "Stopping (steps_limit): the limit of 20 steps leaves no room: \
                20 used, 1 wanted";
    assert_eq!(ContinuationOutcome::stop(signal.clone()).explain(), format!("{told}."));
    // The requests that it overruled are named, once each.
    let asks = |by: &str| Vote { by: by.into(), decision: Decision::Request };
    let limit = Vote { by: "steps_limit".into(), decision: Decision::Forbid(signal) };
    let outcome = resolve(&[asks("hook"), limit, asks("eager"), asks("hook")]);
    assert_eq!(outcome.explain(), format!("{told}; eager and hook asked to continue."));
}

#[test]
fn s3_5_of_several_signals_the_highest_priority_gives_the_status_the_first_among_equals() {
    let state = tell("user: hi; inference; answer: done");
    let named = |source: &str, reason: StopReason| StopSignal::new(reason, source, "x");
    let state = state
        .with_stop_signal(named("z", StopReason::RetryLimit))
        .with_stop_signal(named("y", StopReason::UserRequested))
        .with_stop_signal(named("x", StopReason::UserRequested));
    let outcome = outcome(&state);
    assert_eq!(outcome.signal.as_ref().unwrap().source, "y");
    let state = go_on(state, "decides; ends");
    assert_eq!(state.status(), Some(&ExecutionStatus::Cancelled));
    assert_eq!(state.stop_signals().len(), 3);
}

#[test]
fn s3_5_of_several_criteria_the_highest_priority_decides_and_the_others_are_kept() {
    use StopReason::{CostLimit, RetryLimit, StepsLimit};
    let all =
        votes(&[forbid(RetryLimit), forbid(CostLimit), forbid(StepsLimit), forbid(StepsLimit)]);
    let outcome = resolve(&all);
    assert_eq!(outcome.stop_reason(), Some(&StepsLimit));
    assert_eq!(outcome.by, "v2");
    assert_eq!(outcome.votes, all);
}

#[test]
fn s3_5_votes_of_one_name_are_resolved_alike_in_any_order() {
    let vote = |words: &str, decision: fn(StopSignal) -> Decision| Vote {
        by: "hook".into(),
        decision: decision(StopSignal::new(StopReason::StopRequested, "hook", words)),
    };
    let all = [vote("b", Decision::Forbid), vote("a", Decision::Forbid), vote("c", Decision::Stop)];
    let first = resolve(&all);
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(resolve(&order.map(|at| all[at].clone())), first);
    }
}

#[test]
fn s3_6_the_guards_of_a_library_are_on_and_can_be_changed_or_switched_off() {
    let guards = Budget::guards();
    assert_eq!(guards.steps, Some(20));
    assert_eq!(guards.active_time.unwrap().0, 300_000_000);
    assert_eq!(Budget::usd(0.5).steps, Some(20));
    assert_eq!(Budget::usd(0.5).steps(100).steps, Some(100));
    // There is no other default, and what a journal leaves out is no limit.
    assert_eq!(serde_json::from_str::<Budget>("{}").unwrap(), Budget::unlimited());
    assert_eq!(serde_json::to_value(Budget::unlimited()).unwrap(), serde_json::json!({}));
}

#[test]
fn s3_6_no_request_to_go_on_overrides_a_limit() {
    let state =
        go_on(limited(Budget::unlimited().steps(1)), "user: hi; inference; calls: a; result: 0 x");
    let state = state.with_vote("eager", Decision::Request);
    assert_eq!(outcome(&state).stop_reason(), Some(&StopReason::StepsLimit));
}

#[test]
fn s3_7_a_raised_stop_keeps_its_reason_and_what_the_step_did() {
    let state = tell(
        "user: hi; inference; calls: a, b; starts: 0; result: 0 x; stop: enough; \
         outcome: 1 skipped; decides; ends",
    );
    assert_eq!(state.stop_reason(), Some(&StopReason::UserRequested));
    assert_eq!(state.status(), Some(&ExecutionStatus::Cancelled));
    let result = state.last_step_result().unwrap();
    assert_eq!(result.step.tool_executions().count(), 2);
    assert_eq!(state.used().input, 100);
    assert!(state.context().transcript.settled().is_some());
    assert_eq!(state.stop_signal().unwrap().message, "enough");
}

#[test]
fn s3_7_a_stop_before_any_step_writes_only_the_outcome() {
    let state = tell("user: hi; signal: stop_requested; ends");
    assert_eq!(state.step_results().count(), 0);
    assert!(state.current_step().is_none());
    assert_eq!(state.stop_reason(), Some(&StopReason::StopRequested));
}

#[test]
fn s3_8_a_pause_is_no_stop_and_the_same_step_goes_on_after_the_answer() {
    let story = "user: hi; inference; calls: bash; starts: 0; pauses: 0";
    let paused = tell(story);
    assert!(paused.status().unwrap().is_waiting());
    assert_eq!(paused.step_results().count(), 0);
    assert!(paused.continuation_outcome().is_none());
    let id = paused.current_step().unwrap().id;
    let after = go_on(paused, "tell: 0");
    assert_eq!(after.current_step().unwrap().id, id);
    assert_eq!(owes(&after), "ends the step");
}

#[test]
fn s3_9_a_run_that_was_cut_off_is_in_progress_and_a_stopped_one_is_cancelled() {
    let cut = tell("user: hi; inference; calls: a; starts: 0");
    assert_eq!(cut.status(), Some(&ExecutionStatus::InProgress));
    let stopped = go_on(cut, "stop: that's it; outcome: 0 interrupted; decides; ends");
    assert_eq!(stopped.status(), Some(&ExecutionStatus::Cancelled));
    assert_eq!(owes(&stopped), "owes nothing");
    // A stop of an ended execution is a no-op.
    let again = go_on(stopped.clone(), "signal: user_requested");
    assert_eq!(again.status(), stopped.status());
    assert_eq!(owes(&again), "owes nothing");
}

#[test]
fn s3_5_a_criterion_that_fails_forbids() {
    let signal = StopSignal::new(StopReason::Error, "mine", "it divided by zero");
    let failed = Vote { by: "mine".into(), decision: Decision::Forbid(signal) };
    let request = Vote { by: "other".into(), decision: Decision::Request };
    let outcome = resolve(&[request, failed]);
    assert_eq!(outcome.stop_reason(), Some(&StopReason::Error));
    assert!(outcome.explain().contains("divided by zero"));
}

#[test]
fn s3_7_after_a_stop_is_prevented_the_model_is_asked_again() {
    let state = tell("user: hi; inference; answer: done; decides; follow up: and this?");
    assert_eq!(owes(&state), "stops");
    let state = go_on(state, "followed up");
    assert_eq!(owes(&state), "asks the model");
    assert!(state.facts().follow_ups.is_empty());
    let prevented = legwork_core::event::StopPrevented { by: "reviewer".into() };
    let state = tell("user: hi; inference; answer: done; decides");
    let state = state.with(legwork_core::Event::StopPrevented(prevented));
    assert_eq!(owes(&state), "asks the model");
    assert_eq!(state.continuation_outcome().unwrap().by, "reviewer");
}
