//! S3.1, S3.2, S3.5: two rounds, the limits before a step, and no order that matters.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use legwork_core::budget::Budget;
use legwork_core::continuation::{
    Callable, ContentPresent, Error, Kind, Signals, StepsLimit, ToolCallsLimit, Vote, criterion,
    defaults, evaluate, forbids_calls, forbids_step, resolve,
};
use legwork_core::{
    AgentState, ContinuationOutcome, Criterion, Decision, FinishReason, Message, Part, Response,
    StopReason, StopSignal,
};
use proptest::prelude::*;

use crate::story::{blank, go_on, respond, says, tell};

type Vetted = Result<Option<Decision>, Error>;

fn signal(reason: &str, by: &str) -> StopSignal {
    StopSignal::new(reason.into(), by, "it is so")
}

/// A criterion from a text such as `limit b: forbid steps_limit`.
fn told(text: &str) -> Callable<impl Fn(&AgentState) -> Vetted + Clone + use<>> {
    let (name, decision) = text.split_once(": ").unwrap();
    let by = name.trim_start_matches("limit ").to_owned();
    let (verb, reason) = decision.split_once(' ').unwrap_or((decision, "error"));
    let vote = match verb {
        "forbid" => Ok(Some(Decision::Forbid(signal(reason, &by)))),
        "stop" => Ok(Some(Decision::Stop(signal(reason, &by)))),
        "request" => Ok(Some(Decision::Request)),
        "allow" => Ok(Some(Decision::Allow)),
        "abstain" => Ok(None),
        "fail" => Err("it divided by zero".into()),
        other => panic!("nobody can {other}"),
    };
    let told = criterion(by, move |_: &AgentState| vote.clone());
    if name.starts_with("limit ") { told.limit() } else { told }
}

fn all(criteria: &str) -> Vec<Arc<dyn Criterion>> {
    let told = criteria.split(", ").filter(|text| !text.is_empty()).map(told);
    told.map(|criterion| Arc::new(criterion) as Arc<dyn Criterion>).collect()
}

fn outcome_of(criteria: &str) -> ContinuationOutcome {
    ContinuationOutcome::clone(&evaluate(
        &all(criteria),
        &tell("user: hi; inference; answer: done"),
    ))
}

/// Evaluates criteria in the given order and backwards.
#[track_caller]
fn check(criteria: &str, expected: &str) {
    let outcome = outcome_of(criteria);
    let mut backwards: Vec<_> = criteria.split(", ").collect();
    backwards.reverse();
    assert_eq!(outcome_of(&backwards.join(", ")), outcome, "the order of criteria matters");
    let said = match outcome.stop_reason() {
        None => format!("goes on: {}", outcome.by),
        Some(reason) => format!("stops: {} ({reason})", outcome.by),
    };
    assert_eq!(said, expected, "{criteria}");
}

#[test]
fn s3_1_the_strongest_vote_resolves() {
    check("a: forbid user_requested, b: request", "stops: a (user_requested)");
    check("a: request, b: stop completed", "goes on: a");
    check("a: allow, b: stop completed", "stops: b (completed)");
    check("a: allow, b: abstain", "goes on: a");
    check("a: abstain", "stops: nobody (unknown)");
    check("", "stops: nobody (unknown)");
    check("b: forbid error, a: forbid error", "stops: a (error)");
    check("a: forbid retry_limit, b: forbid cost_limit", "stops: b (cost_limit)");
}

#[test]
fn s3_2_limits_are_asked_only_where_the_turn_would_go_on() {
    check("a: stop completed, limit b: forbid steps_limit", "stops: a (completed)");
    check("a: request, limit b: forbid steps_limit", "stops: b (steps_limit)");
    check("a: allow, limit b: forbid time_limit", "stops: b (time_limit)");
    check("a: request, limit b: abstain", "goes on: a");
    check("a: request, limit b: allow", "goes on: a");
    // A criterion that is not evaluated cannot fail.
    check("a: stop finish_reason, limit b: fail", "stops: a (finish_reason)");
    check("limit a: request", "stops: nobody (unknown)");
    check("a: forbid stop_requested, limit b: forbid steps_limit", "stops: a (stop_requested)");
}

#[test]
fn s3_2_a_limit_is_asked_once_at_most_and_hooks_vote_in_the_first_round() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let counts = criterion("counts", move |_: &AgentState| {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(None)
    });
    assert_eq!(counts.kind(), Kind::Ordinary);
    let mut criteria = defaults();
    criteria.push(Arc::new(counts.limit()));
    let done = tell("user: hi; inference; answer: done");
    assert_eq!(evaluate(&criteria, &done).stop_reason(), Some(&StopReason::Completed));
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    let more = done.with_vote("eager", Decision::Request);
    assert_eq!(evaluate(&criteria, &more).by, "eager");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn s3_4_a_limit_says_whom_it_overruled() {
    let state = blank().with_budget(Budget::unlimited().steps(1));
    let state = go_on(state, "user: hi; inference; calls: a; result: 0 x");
    let outcome = evaluate(&defaults(), &state.with_vote("eager", Decision::Request));
    assert_eq!(
        outcome.explain(),
        "Stopping (steps_limit): the limit of 1 steps leaves no room: 1 used, \
         1 wanted; eager and tool_calls_present asked to continue."
    );
    let names: Vec<_> = outcome.votes.iter().map(|vote| vote.by.as_str()).collect();
    assert_eq!(names, ["eager", "steps_limit", "tool_calls_present"]);
    let text = serde_json::to_string(&outcome).unwrap();
    assert_eq!(serde_json::from_str::<ContinuationOutcome>(&text).unwrap(), *outcome);
}

#[test]
fn s3_4_every_vote_is_kept_also_equal_ones() {
    let outcome = outcome_of("a: forbid error, a: forbid error, b: request, c: allow, d: request");
    let kept: Vec<_> = outcome.votes.iter().map(|vote| vote.by.as_str()).collect();
    assert_eq!(kept, ["a", "a", "b", "d"]);
}

#[test]
fn s3_5_a_criterion_that_fails_is_a_forbid_with_its_error() {
    check("mine: fail, other: request", "stops: mine (error)");
    check("limit mine: fail, other: request", "stops: mine (error)");
    let outcome = outcome_of("mine: fail, other: request");
    assert_eq!(outcome.explain(), "Stopping (error, by mine): it divided by zero.");
    assert_eq!(outcome.signal.unwrap().source, "mine");
}

/// What the limits before a step says.
fn asked(criteria: &str, state: &AgentState) -> String {
    let signal = forbids_step(&all(criteria), state);
    signal.map_or_else(|| "goes on".to_owned(), |s| format!("stops: {} ({})", s.source, s.reason))
}

#[test]
fn s3_2_before_a_step_limits_are_asked_at_once() {
    let state = tell("user: hi");
    assert_eq!(asked("", &state), "goes on");
    assert_eq!(asked("limit a: abstain, limit b: allow", &state), "goes on");
    assert_eq!(asked("limit a: forbid cost_limit", &state), "stops: a (cost_limit)");
    assert_eq!(asked("limit a: fail", &state), "stops: a (error)");
    // What others say is for the end of a step.
    assert_eq!(asked("a: stop completed, b: forbid error, c: request", &state), "goes on");
    for order in [
        "limit a: forbid time_limit, limit b: forbid steps_limit",
        "limit b: forbid steps_limit, limit a: forbid time_limit",
    ] {
        assert_eq!(asked(order, &state), "stops: b (steps_limit)");
    }
    let none = blank().with_budget(Budget::unlimited().steps(0));
    let signal = forbids_step(&defaults(), &go_on(none, "user: hi")).unwrap();
    assert_eq!(signal.limit.unwrap().limit, 0);
    assert_eq!(forbids_step(&defaults(), &state), None);
}

#[test]
fn s3_5_before_a_step_raised_signals_and_forbidding_hooks_count() {
    let raised = tell("user: hi; signal: user_requested; signal: retry_limit");
    assert_eq!(forbids_step(&[], &raised).as_ref(), raised.stop_signal());
    assert_eq!(asked("limit a: forbid steps_limit", &raised), "stops: test (user_requested)");
    let hook = |decision| tell("user: hi").with_vote("hook", decision);
    let forbids = hook(Decision::Forbid(signal("stop_requested", "hook")));
    assert_eq!(asked("", &forbids), "stops: hook (stop_requested)");
    assert_eq!(asked("", &hook(Decision::Request)), "goes on");
    assert_eq!(asked("", &hook(Decision::Stop(signal("completed", "hook")))), "goes on");
}

fn answered(parts: Vec<Part>, finish: FinishReason) -> AgentState {
    let response = Response::new(Message::assistant(parts), finish);
    respond(tell("user: hi; inference"), response, None)
}

#[test]
fn s3_1_content_present_stops_at_an_answer_and_asks_after_an_empty_one() {
    let says =
        |parts: Vec<Part>, finish| match ContentPresent.decide(&answered(parts, finish)).unwrap() {
            None => "nothing",
            Some(Decision::Request) => "asks",
            Some(Decision::Stop(signal)) if signal.reason == StopReason::Completed => "stops",
            Some(other) => panic!("it votes {other:?}"),
        };
    let text = |text: &str| Part::text(text.to_owned());
    assert_eq!(says(vec![text("42")], FinishReason::Stop), "stops");
    assert_eq!(says(vec![text("4")], FinishReason::Length), "stops");
    assert_eq!(says(vec![Part::Refusal("no".into())], FinishReason::Stop), "stops");
    assert_eq!(says(vec![], FinishReason::Stop), "asks");
    assert_eq!(says(vec![text(" \n")], FinishReason::Stop), "asks");
    let thinking = || vec![Part::Thinking(Default::default())];
    assert_eq!(says(thinking(), FinishReason::Stop), "asks");
    assert_eq!(says(thinking(), FinishReason::Length), "nothing");
    assert_eq!(says(vec![], FinishReason::ContentFilter), "nothing");
    for story in ["user: hi", "user: hi; inference", "user: hi; inference; cut: a"] {
        assert_eq!(ContentPresent.decide(&tell(story)).unwrap(), None, "{story}");
    }
    let called = tell("user: hi; inference; calls: a; result: 0 x");
    assert_eq!(ContentPresent.decide(&called).unwrap(), None);
}

#[test]
fn s3_1_an_empty_answer_is_asked_for_again_until_a_limit() {
    let mut criteria = defaults();
    criteria.push(Arc::new(ContentPresent));
    criteria.push(Arc::new(StepsLimit::at(2)));
    let state = respond(tell("user: hi; inference"), says(""), None);
    assert_eq!(evaluate(&criteria, &state).by, "content_present");
    let state = respond(go_on(state, "decides; inference"), says(""), None);
    assert_eq!(evaluate(&criteria, &state).stop_reason(), Some(&StopReason::StepsLimit));
}

#[test]
fn s3_3_of_an_incomplete_answer_the_finish_reason_says_nothing() {
    let cut = tell("user: hi; inference; cut: a");
    let finish = defaults().pop().unwrap();
    assert_eq!((finish.name(), finish.decide(&cut)), ("finish_reason", Ok(None)));
    assert_eq!(Signals.decide(&cut), Ok(None));
}

/// Every stop reason, and one of a newer version.
const REASONS: [&str; 13] = [
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
    "moon_phase",
];

fn telling() -> impl Strategy<Value = String> {
    let vote = prop_oneof![
        prop::sample::select(REASONS.to_vec()).prop_map(|reason| format!("forbid {reason}")),
        prop::sample::select(REASONS.to_vec()).prop_map(|reason| format!("stop {reason}")),
        prop::sample::select(vec!["request", "request", "allow", "abstain", "fail"])
            .prop_map(str::to_owned),
    ];
    let kind = prop::sample::select(vec!["", "limit "]);
    (kind, "[a-c]", vote).prop_map(|(kind, by, vote)| format!("{kind}{by}: {vote}"))
}

fn shuffled() -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    prop::collection::vec(telling(), 0..8)
        .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
}

proptest! {
    #[test]
    fn s3_1_the_outcome_does_not_depend_on_the_order_of_criteria(
        (one, other) in shuffled(),
    ) {
        let [one, other] = [one, other].map(|criteria| criteria.join(", "));
        prop_assert_eq!(outcome_of(&one), outcome_of(&other));
        let state = tell("user: hi");
        prop_assert_eq!(asked(&one, &state), asked(&other, &state));
    }

    #[test]
    fn s3_1_the_outcome_does_not_depend_on_the_order_of_votes(
        (one, other) in shuffled(),
    ) {
        let votes = |all: &[String]| -> Vec<Vote> {
            let told = all.iter().map(|text| told(text));
            let vote = |told: Callable<_>| {
                let decision = told.decide(&blank()).ok().flatten()?;
                Some(Vote { by: told.name().to_owned(), decision })
            };
            told.filter_map(vote).collect()
        };
        let outcome = resolve(&votes(&one));
        prop_assert_eq!(&resolve(&votes(&other)), &outcome);
        // Votes of hooks count like votes of criteria.
        let hooked = votes(&other).into_iter().fold(
            tell("user: hi; inference; answer: done"),
            |state, Vote { by, decision }| state.with_vote(by, decision),
        );
        prop_assert_eq!(&*evaluate(&[], &hooked), &outcome);
        let kept = votes(&one).iter().filter(|vote| vote.decision != Decision::Allow).count();
        prop_assert_eq!(outcome.votes.len(), kept);
        let forbidden = votes(&one).iter().any(|v| matches!(v.decision, Decision::Forbid(_)));
        prop_assert!(!forbidden || !outcome.should_continue());
    }

    #[test]
    fn s3_2_limits_only_ever_turn_going_on_into_a_stop((criteria, _) in shuffled()) {
        let ordinary: Vec<_> =
            criteria.iter().filter(|text| !text.starts_with("limit")).cloned().collect();
        let (without, with) = (outcome_of(&ordinary.join(", ")), outcome_of(&criteria.join(", ")));
        if !without.should_continue() {
            prop_assert_eq!(with, without);
        }
    }
}

#[test]
fn s3_2_what_is_asked_before_calls_is_asked_only_there() {
    let limit: Vec<Arc<dyn Criterion>> = vec![Arc::new(ToolCallsLimit::at(1))];
    let forbidden = |story: &str| {
        let signal = forbids_calls(&limit, &tell(story));
        signal.map(|signal| signal.reason)
    };
    assert_eq!(forbidden("user: hi; inference; calls: a"), None);
    let two = "user: hi; inference; calls: a, b";
    assert_eq!(forbidden(two), Some(StopReason::ToolCallsLimit));
    assert_eq!(forbids_step(&limit, &tell(two)), None);
    assert_eq!(evaluate(&limit, &tell(two)), evaluate(&[], &tell(two)));
    let steps: Vec<Arc<dyn Criterion>> = vec![Arc::new(StepsLimit::at(0))];
    assert_eq!(forbids_calls(&steps, &tell(two)), None);
}

#[test]
fn s3_5_a_criterion_that_panics_forbids() {
    let panics = legwork_core::continuation::criterion("panics", |_: &legwork_core::AgentState| {
        if true { panic!("on fire") } else { Ok(None) }
    });
    let criteria: Vec<Arc<dyn legwork_core::Criterion>> = vec![Arc::new(panics)];
    let state = crate::story::tell("user: hi; inference; answer: done");
    let outcome = legwork_core::continuation::evaluate(&criteria, &state);
    assert_eq!(outcome.stop_reason(), Some(&legwork_core::StopReason::Error));
    assert!(outcome.explain().contains("panics") && outcome.explain().contains("on fire"));
}
