//! `decide` is the one place that says no: each refusal, and that it changes nothing.

use legwork_core::budget::{Budget, MicroUsd, Price};
use legwork_core::inbox::{Answer, Cursor, Item, Label, Posted, Verdict};
use legwork_core::state::{Input, Refusal};
use legwork_core::{AgentState, Event, Message, Seq, StopSignal};

use crate::story::{blank, go_on, tell};

#[track_caller]
fn refuses(state: &AgentState, input: Input, expected: Refusal) -> String {
    let before = serde_json::to_string(state).unwrap();
    let refusal = state.decide(input).unwrap_err();
    assert_eq!(refusal, expected);
    assert_eq!(serde_json::to_string(state).unwrap(), before);
    refusal.to_string()
}

fn input() -> Input {
    Input::Start(vec![Message::user("hi")])
}

#[test]
fn s1_9_a_start_needs_input_and_no_execution_under_way() {
    refuses(&blank(), Input::Start(Vec::new()), Refusal::EmptyInput);
    for (story, status) in [
        ("user: hi", "in_progress"),
        ("user: hi; inference; calls: a; starts: 0; pauses: 0", "awaiting_approval"),
    ] {
        let words = refuses(&tell(story), input(), Refusal::UnderWay { status: status.to_owned() });
        assert!(words.contains(status) && words.contains("resume"), "{words}");
    }
    for story in ["", "user: hi; inference; answer: x; decides; ends"] {
        let events = tell(story).decide(input()).unwrap();
        assert!(matches!(events.as_slice(), [Event::ExecutionStarted(_)]), "{story}");
    }
}

#[test]
fn s1_9_a_reopening_needs_a_limit_that_stopped_it() {
    let nothing = |status: &str| Refusal::NothingToDo { status: status.to_owned() };
    refuses(&blank(), Input::Reopen, nothing("no execution yet"));
    refuses(&tell("user: hi"), Input::Reopen, nothing("in_progress"));
    let done = tell("user: hi; inference; answer: x; decides; ends");
    refuses(&done, Input::Reopen, nothing("completed"));
    let failed = tell("user: hi; inference; fails: no answer; decides; ends");
    refuses(&failed, Input::Reopen, nothing("failed"));
    let cancelled = tell("user: hi; stop: enough; ends");
    refuses(&cancelled, Input::Reopen, nothing("cancelled"));
}

#[test]
fn s1_9_a_reopening_needs_the_limit_raised() {
    let budget = Budget::unlimited().steps(1);
    let state = go_on(blank().with_budget(budget), "user: hi; inference; calls: a; result: 0 x");
    let state = go_on(state, "decides; ends");
    let limit = state.stop_signals().is_empty().then(|| {
        let outcome = state.continuation_outcome().unwrap();
        outcome.signal.as_ref().unwrap().limit.clone().unwrap().to_string()
    });
    let words = refuses(&state, Input::Reopen, Refusal::LimitHolds { limit: limit.unwrap() });
    assert!(words.contains("raise it"), "{words}");
    assert!(state.clone().with_budget(Budget::unlimited().steps(2)).decide(Input::Reopen).is_ok());
    assert!(state.with_budget(Budget::unlimited()).decide(Input::Reopen).is_ok());
}

#[test]
fn s1_9_a_limit_that_refused_a_call_before_it_was_reached_holds_until_it_is_raised() {
    let million = MicroUsd(1_000_000);
    let price =
        Price { input: million, output: million, cache_read: million, cache_write: million };
    let money = |micros| Budget { cost: Some(MicroUsd(micros)), ..Budget::unlimited() };
    let state = go_on(blank().with_budget(money(2_000)), "user: hi");
    let refused = state.ledger().afford(1_000, None, Some(&price)).unwrap_err();
    let state = go_on(state.with_stop_signal(StopSignal::limit("budget", refused)), "ends");
    assert_eq!(state.ledger().forbids_step(state.now().wall), None, "it is not reached");
    assert!(matches!(state.decide(Input::Reopen), Err(Refusal::LimitHolds { .. })));
    assert!(state.with_budget(money(3_000)).decide(Input::Reopen).is_ok());
}

#[test]
fn s10_2_an_answer_needs_a_pending_call_of_its_id() {
    let state = tell("user: hi; inference; calls: a; starts: 0; pauses: 0");
    let answer = |id: &str| Answer { id: id.to_owned(), verdict: Verdict::Tell };
    let unknown = |id: &str| Refusal::UnknownPending { id: id.to_owned() };
    refuses(&state, Input::Answer(answer("s/3/7")), unknown("s/3/7"));
    let events = state.decide(Input::Answer(answer("s/3/0"))).unwrap();
    let state = events.into_iter().fold(state, AgentState::with);
    let words = refuses(&state, Input::Answer(answer("s/3/0")), unknown("s/3/0"));
    assert!(words.contains("answered already"), "{words}");
}

#[test]
fn s8_1_a_move_and_a_label_need_an_entry_that_is_there() {
    let state = tell("user: hi");
    let unknown = |entry| Refusal::UnknownEntry { entry: Seq(entry), last: Seq(1) };
    refuses(&state, Input::MoveHead(Seq(2)), unknown(2));
    let label = |entry| Label { entry: Seq(entry), text: None };
    refuses(&state, Input::Label(label(2)), unknown(2));
    refuses(&state, Input::Label(label(0)), unknown(0));
    assert!(state.decide(Input::Label(label(1))).is_ok());
    assert!(state.decide(Input::MoveHead(Seq::ZERO)).is_ok(), "before all");
    refuses(&tell("user: hi; inference"), Input::MoveHead(Seq(1)), Refusal::StepUnderWay);
}

#[test]
fn s8_2_an_item_is_taken_once_and_only_if_it_may_be() {
    let posted = |cursor, item| Posted { cursor: Cursor(cursor), key: "k".into(), item };
    let state = tell("user: hi; steer: look");
    let stop = || Item::Stop("enough".into());
    refuses(&state, Input::Take(posted(1, stop())), Refusal::AlreadyTaken);
    refuses(&state, Input::Take(posted(0, stop())), Refusal::AlreadyTaken);
    assert_eq!(state.decide(Input::Take(posted(2, stop()))).unwrap().len(), 1);
    let unknown = |entry| Refusal::UnknownEntry { entry: Seq(entry), last: Seq(2) };
    refuses(&state, Input::Take(posted(2, Item::MoveHead(Seq(9)))), unknown(9));
    let label = Label { entry: Seq(9), text: None };
    refuses(&state, Input::Take(posted(2, Item::Label(label))), unknown(9));
    let answer = Answer { id: "x".into(), verdict: Verdict::Tell };
    let pending = Refusal::UnknownPending { id: "x".into() };
    refuses(&state, Input::Take(posted(2, Item::Answer(answer))), pending);
    // Moving by the inbox is two entries: the copy and the move.
    assert_eq!(state.decide(Input::Take(posted(2, Item::MoveHead(Seq(1))))).unwrap().len(), 2);
}
