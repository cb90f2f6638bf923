//! `decide_reopen`: when an execution that ended goes on, and what is queued for a new one.

use std::sync::Arc;
use std::time::Duration;

use legwork_core::budget::{Amounts, Budget, Dimension, Exhausted, MicroUsd, Price};
use legwork_core::continuation::{
    CumulativeTimeLimit, ErrorPolicy, MOST_INCOMPLETE, RetryLimit, StepsLimit, TokenLimit,
    criterion, defaults, evaluate, put,
};
use legwork_core::error::{ErrorKind, ErrorSource};
use legwork_core::event::{ExecutionFinished, StepFinished};
use legwork_core::state::Refusal;
use legwork_core::{
    AgentState, Criterion, Decision, ErrorRecord, Event, ExecutionStatus, Micros, Owed, StopReason,
    StopSignal,
};

use crate::story::{blank, go_on, owes, tell, transcript};

type Criteria = Vec<Arc<dyn Criterion>>;

fn with(criterion: impl Criterion + 'static) -> Criteria {
    let mut criteria = defaults();
    put(&mut criteria, Arc::new(criterion));
    criteria
}

/// The state in which criteria ended the step under way and the execution.
fn ended_by(state: AgentState, criteria: &Criteria) -> AgentState {
    let outcome = evaluate(criteria, &state);
    let status = ExecutionStatus::from(outcome.stop_reason().unwrap());
    let finished = StepFinished { outcome: Arc::clone(&outcome), took: Micros(1_000) };
    let state = state.with(Event::StepFinished(finished));
    state.with(Event::ExecutionFinished(ExecutionFinished { status, outcome }))
}

#[track_caller]
fn refuses(state: &AgentState, criteria: &Criteria) -> Refusal {
    state.decide_reopen(criteria).unwrap_err()
}

#[track_caller]
fn reopens(state: &AgentState, criteria: &Criteria) -> AgentState {
    let events = state.decide_reopen(criteria).unwrap();
    assert!(matches!(events.as_slice(), [Event::ExecutionReopened(_)]), "{events:?}");
    let state = events.into_iter().fold(state.clone(), AgentState::with);
    assert_eq!(state.owed(), Owed::Infer);
    state
}

const A_STEP: &str = "user: hi; inference; calls: a; result: 0 x";

#[test]
fn s1_9_an_execution_goes_on_only_for_what_may_have_changed_since() {
    let session = blank().session().clone();
    let nothing = |status: &str| Refusal::NothingToDo {
        session: Some(session.clone()),
        status: status.to_owned(),
    };
    for (story, status) in [
        ("", "no execution yet"),
        ("user: hi", "in_progress"),
        ("user: hi; inference; answer: x; decides; ends", "completed"),
        ("user: hi; stop: enough; ends", "cancelled"),
        ("user: hi; inference; calls: a; starts: 0; outcome: 0 hard; decides; ends", "failed"),
        ("user: hi; signal: error; ends", "failed"),
    ] {
        assert_eq!(refuses(&tell(story), &defaults()), nothing(status), "{story}");
    }
    let told = nothing("completed").to_string();
    assert!(told.starts_with("nothing is left to do (completed): give session s a new"), "{told}");
}

#[test]
fn s1_9_a_limit_of_the_budget_is_to_be_raised() {
    let budget = Budget::unlimited().steps(1);
    let state = go_on(blank().with_budget(budget), &format!("{A_STEP}; decides; ends"));
    let refusal = refuses(&state, &defaults());
    assert!(matches!(refusal, Refusal::LimitHolds { .. }), "{refusal:?}");
    assert!(refusal.to_string().contains("raise it"), "{refusal}");
    reopens(&state.clone().with_budget(Budget::unlimited().steps(2)), &defaults());
    reopens(&state.clone().with_budget(Budget::unlimited()), &defaults());
    // Another limit that is reached forbids the next step all the same.
    let other = Budget::unlimited().steps(2).tokens(100);
    assert!(matches!(refuses(&state.with_budget(other), &defaults()), Refusal::LimitHolds { .. }));
}

#[test]
fn s1_9_a_limit_with_a_number_of_its_own_is_to_be_raised() {
    let after = |story: &str, criteria: &Criteria| ended_by(tell(story), criteria);
    let cumulative = |millis| CumulativeTimeLimit::at(Duration::from_millis(millis));
    let spent = go_on(blank(), &format!("{A_STEP}; decides; inference; calls: b; result: 0 y"));
    let failing = "user: hi; inference; calls: a; outcome: 0 failed; decides; \
                   inference; calls: a; outcome: 0 failed";
    for (ended, same, raised) in [
        (after(A_STEP, &with(StepsLimit::at(1))), with(StepsLimit::at(1)), with(StepsLimit::at(2))),
        (
            after(A_STEP, &with(TokenLimit::at(110))),
            with(TokenLimit::at(110)),
            with(TokenLimit::at(500)),
        ),
        (
            after(failing, &with(RetryLimit::at(1))),
            with(RetryLimit::at(1)),
            with(RetryLimit::at(2)),
        ),
        (ended_by(spent, &with(cumulative(1))), with(cumulative(1)), with(cumulative(9_000))),
    ] {
        let refusal = refuses(&ended, &same);
        assert!(matches!(refusal, Refusal::LimitHolds { .. }), "{refusal:?}");
        reopens(&ended, &raised);
    }
}

#[test]
fn s1_3_s1_9_a_limit_holds_though_the_head_was_moved_back_behind_another_execution() {
    let long = "user: hi; inference; calls: a; result: 0 x; decides; inference; calls: b; \
                result: 0 y";
    let tokens = tell(long).ledger().spent.total_tokens();
    for (same, more) in [
        (with(StepsLimit::at(2)), with(StepsLimit::at(3))),
        (with(TokenLimit::at(tokens)), with(TokenLimit::at(tokens + 1))),
    ] {
        let stopped = ended_by(tell(long), &same);
        let path = stopped.uncommitted().iter().cloned().collect::<Vec<_>>();
        let other = go_on(stopped, "user: more; inference; answer: z; decides; ends");
        assert!(other.ledger().spent.total_tokens() < tokens, "it used less");
        let back = AgentState::fold(other.facts().clone(), path);
        let refusal = refuses(&back, &same);
        assert!(matches!(refusal, Refusal::LimitHolds { .. }), "{refusal:?}");
        reopens(&back, &more);
    }
}

#[test]
fn s1_9_what_was_used_when_a_limit_stopped_it_counts_in_each_dimension() {
    type Used = fn(&Amounts) -> u64;
    let dimensions: [(Dimension, Used); 7] = [
        (Dimension::Steps, |spent| spent.steps),
        (Dimension::ToolCalls, |spent| spent.tool_calls),
        (Dimension::InputTokens, |spent| spent.input),
        (Dimension::OutputTokens, |spent| spent.output),
        (Dimension::TotalTokens, Amounts::total_tokens),
        (Dimension::Cost, |spent| spent.cost.0),
        (Dimension::ActiveTime, |spent| spent.active_time.0),
    ];
    for (dimension, used) in dimensions {
        let (limit, used_then) = (50_000_000, 70_000_000);
        let limit = Exhausted { dimension, limit, used: used_then, wanted: 0 };
        let signal = StopSignal::limit("own", limit.clone());
        let ended = go_on(tell("user: hi").with_stop_signal(signal.clone()), "ends");
        let forbids = |most: u64| {
            let signal = signal.clone();
            let own = criterion("own", move |state: &AgentState| {
                let passed = used(&state.ledger().spent) >= most;
                Ok(passed.then(|| Decision::Forbid(signal.clone())))
            });
            with(own.limit())
        };
        let refusal = refuses(&ended, &forbids(used_then));
        assert!(matches!(refusal, Refusal::LimitHolds { .. }), "{limit}: {refusal:?}");
        reopens(&ended, &forbids(used_then + 1));
    }
}

#[test]
fn s1_9_a_limit_that_refused_a_call_before_it_was_reached_holds_until_it_is_raised() {
    let million = MicroUsd(1_000_000);
    let price = Price::new(million, million);
    let money = |micros| Budget { cost: Some(MicroUsd(micros)), ..Budget::unlimited() };
    let state = go_on(blank().with_budget(money(2_000)), "user: hi");
    let refused = state.ledger().afford(1_000, None, Some(&price)).unwrap_err();
    let state = go_on(state.with_stop_signal(StopSignal::limit("budget", refused)), "ends");
    assert_eq!(state.ledger().forbids_step(state.now().wall), None, "it is not reached");
    assert!(matches!(refuses(&state, &defaults()), Refusal::LimitHolds { .. }));
    reopens(&state.with_budget(money(3_000)), &defaults());
}

#[test]
fn s1_9_an_execution_that_failed_for_its_model_makes_the_step_anew() {
    for kind in ["model", "rate_limit", "timeout"] {
        let story = format!("user: hi; inference; fails as: {kind} gone; decides; ends");
        let failed = tell(&story);
        assert_eq!(failed.status(), Some(&ExecutionStatus::Failed));
        let state = reopens(&failed, &defaults());
        assert_eq!(transcript(&state), ["user: hi"], "nobody said more");
        assert_eq!(state.status(), Some(&ExecutionStatus::InProgress));
        let done = go_on(state, "inference; answer: x; decides; ends");
        assert_eq!(transcript(&done), ["user: hi", "assistant: x"]);
        assert_eq!(done.step_results().map(|r| r.step.number).collect::<Vec<_>>(), [1, 2]);
    }
    // A person may have mended how the agent is set up; nothing was sent.
    let error = ErrorRecord::new(ErrorSource::Driver, ErrorKind::Configuration, "no such model");
    let raised = StopSignal::error("driver", error.clone());
    let state = tell("user: hi").with_error(error).with_stop_signal(raised);
    reopens(&go_on(state, "ends"), &defaults());
}

#[test]
fn s1_9_an_execution_that_failed_after_the_retries_of_its_policy_makes_the_step_anew() {
    let patient = with(ErrorPolicy::retry_all(0));
    let failed = ended_by(tell("user: hi; inference; fails: gone"), &patient);
    assert_eq!(failed.stop_reason(), Some(&StopReason::RetryLimit));
    reopens(&failed, &patient);
    let tool = ended_by(tell("user: hi; inference; calls: a; outcome: 0 failed"), &patient);
    assert_eq!(tool.stop_reason(), Some(&StopReason::RetryLimit));
    let (session, status) = (Some(tool.session().clone()), "failed".to_owned());
    let nothing = Refusal::NothingToDo { session, status };
    assert_eq!(refuses(&tool, &patient), nothing, "it was no model");
}

#[test]
fn s1_9_an_incomplete_answer_is_asked_for_again_a_few_times() {
    let mut state = tell("user: hi; inference; cut: bash; decides; ends");
    for _ in 1..MOST_INCOMPLETE {
        state = go_on(reopens(&state, &defaults()), "inference; cut: bash; decides; ends");
    }
    let refusal = refuses(&state, &defaults());
    assert_eq!(refusal, Refusal::StillIncomplete { times: MOST_INCOMPLETE });
    assert!(refusal.to_string().contains("longer answer"), "{refusal}");
    assert_eq!(transcript(&state), ["user: hi"], "what came cut never was said");
    assert_eq!(state.step_results().count(), MOST_INCOMPLETE, "and all of it is journaled");
    // One whole answer between begins the count anew.
    let story = "user: hi; inference; cut: a; decides; ends";
    let state = reopens(&tell(story), &defaults());
    let state = go_on(state, "inference; calls: a; result: 0 x; decides");
    let cut = "inference; cut: a; decides; ends";
    let state = reopens(&go_on(state, cut), &defaults());
    reopens(&go_on(state, cut), &defaults());
}

#[test]
fn s7_6_a_queued_message_is_the_task_of_a_new_execution() {
    let begins = |state: &AgentState| {
        let events = state.decide_reopen(&defaults()).unwrap();
        events.into_iter().fold(state.clone(), AgentState::with)
    };
    for story in [
        "user: hi; inference; answer: x; decides; ends",
        "user: hi; inference; calls: a; outcome: 0 hard; decides; ends",
    ] {
        let ended = tell(story);
        let said = transcript(&ended);
        for (left, queue) in
            [("follow up: more", 0), ("steer: more", 0), ("steer: more; follow up: later", 1)]
        {
            let state = begins(&go_on(ended.clone(), left));
            assert_eq!(owes(&state), "asks the model");
            assert_eq!(state.facts().executions, 2);
            assert_eq!(transcript(&state), [said.clone(), vec!["user: more".into()]].concat());
            assert_eq!(state.facts().follow_ups.len(), queue);
        }
    }
    // What an inference was asked with is no task any more, nor is a task what waits while an
    // execution is under way.
    let heard = tell("user: hi; steer: more; inference; answer: x; decides; ends");
    assert!(heard.decide_reopen(&defaults()).is_err());
    assert!(tell("user: hi; follow up: more").decide_reopen(&defaults()).is_err());
    // An execution that may go on is not left for it.
    let failed = "user: hi; inference; fails: gone; decides; ends; follow up: more";
    reopens(&tell(failed), &defaults());
}

#[test]
fn s1_9_steering_is_the_task_of_one_execution_though_that_ends_before_an_inference() {
    let ended = tell("user: hi; inference; answer: x; decides; ends; steer: more");
    let events = ended.decide_reopen(&defaults()).unwrap();
    let begun = events.into_iter().fold(ended.clone(), AgentState::with);
    for taken_up in [begun, go_on(ended, "user: and now?")] {
        let state = go_on(taken_up, "signal: user_requested; ends");
        assert!(state.status().is_some_and(ExecutionStatus::is_terminal));
        assert!(state.decide_reopen(&defaults()).is_err(), "it is queued no more");
    }
}
