//! S1.4, S1.1, and what values share: by identity, not by timing.

use std::sync::Arc;

use legwork_core::state::Judged;
use legwork_core::{AgentState, Decision, Message};
use serde_json::json;

use crate::story::{blank, go_on, stamp, tell};

#[test]
fn s1_4_a_changed_state_extends_the_one_it_came_from() {
    let state = tell("user: hi; inference; calls: a");
    let mark = state.mark();
    assert!(state.extends(&mark), "the very same state");
    assert!(state.clone().extends(&mark));
    let changed = go_on(state, "result: 0 x; decides").with_vote("hook", Decision::Request);
    assert!(changed.extends(&mark));
    assert!(changed.at(stamp(9_999)).committed().resumed().extends(&mark));
}

#[test]
fn s1_4_an_older_a_sibling_a_foreign_and_a_forged_state_do_not_extend() {
    let older = tell("user: hi");
    let state = go_on(older.clone(), "inference");
    let mark = state.mark();
    assert!(!older.extends(&mark), "older");
    let sibling = go_on(older, "inference");
    assert_eq!(sibling, state);
    assert!(!sibling.extends(&mark), "sibling with the same content");
    assert!(!tell("user: hi; inference").extends(&mark), "foreign");
    let forged: AgentState = serde_json::from_value(serde_json::to_value(&state).unwrap()).unwrap();
    assert_eq!(forged, state);
    assert!(!forged.extends(&mark), "forged");
    assert!(!forged.with_message("more").extends(&mark), "forged and changed");
    assert!(!state.clone().rooted().extends(&mark), "rooted anew");
    assert!(!AgentState::fold(state.facts().clone(), []).extends(&mark), "folded anew");
    assert!(!state.with_message("more").rooted().extends(&mark), "changed and rooted anew");
}

#[test]
fn s1_4_transient_changes_are_changes_too() {
    let state = tell("user: hi; inference; calls: a");
    let marked = state.clone().with_judged(0, Judged::default());
    assert!(!state.extends(&marked.mark()));
}

#[test]
fn s1_4_a_chain_of_a_million_changes_is_dropped_without_recursion() {
    let start = tell("user: hi; inference; calls: a");
    let mark = start.mark();
    let thread = std::thread::Builder::new().stack_size(128 * 1024);
    let run = thread.spawn(move || {
        let change = |state: AgentState, _| {
            // While it is marked, a change needs a new link.
            let _mark = state.mark();
            state.with_judged(0, Judged::default())
        };
        let end = (0..1_000_000).fold(start, change);
        assert!(end.extends(&mark));
    });
    run.unwrap().join().unwrap();
}

#[test]
fn s1_4_changes_without_a_mark_between_are_still_changes() {
    let older = tell("user: hi");
    let state = go_on(older.clone(), "message: a; message: b");
    let mark = older.mark();
    assert!(state.extends(&mark) && !older.extends(&state.mark()));
    // A clone that changes leaves the state it was made of behind.
    let (left, right) = (go_on(state.clone(), "message: c"), go_on(state.clone(), "message: c"));
    assert!(!left.extends(&right.mark()) && !right.extends(&left.mark()));
    let mark = state.mark();
    assert!(left.extends(&mark) && right.extends(&mark));
    let on = go_on(state, "message: d");
    assert!(on.extends(&mark) && !on.extends(&left.mark()) && !left.extends(&on.mark()));
}

#[test]
fn a_state_is_one_pointer() {
    assert_eq!(size_of::<AgentState>(), size_of::<usize>());
}

#[test]
fn s1_1_a_clone_is_the_same_value_until_it_is_changed() {
    let many = |n: usize| (0..n).fold(tell("user: hi"), |s, i| s.with_message(i.to_string()));
    // With a last chunk of messages that is shared, one that is full, and none.
    for count in [0, 30, 31, 32, 130] {
        let state = many(count);
        let before = serde_json::to_string(&state).unwrap();
        let clone = state.clone();
        assert!(clone.is_same(&state));
        let changed = go_on(clone.with_message("one more"), "inference; answer: done; decides");
        assert!(!changed.is_same(&state) && changed != state);
        assert_eq!(serde_json::to_string(&state).unwrap(), before, "{count} messages");
        let again = go_on(state.clone(), "message: another");
        assert_eq!(again.context().transcript.messages().len(), count + 2);
        assert_eq!(changed.context().transcript.messages().len(), count + 3);
    }
}

fn address(state: &AgentState, index: usize) -> *const Arc<Message> {
    state.context().transcript.messages().get(index).unwrap()
}

#[test]
fn a_change_shares_all_it_does_not_touch() {
    let many =
        |state: AgentState, n: usize| (0..n).fold(state, |s, i| s.with_message(i.to_string()));
    let before = many(tell("user: hi"), 200).with_metadata("k", Some(json!(1)));
    let after = go_on(before.clone().with_message("one more"), "inference; answer: done; decides");
    for index in 0..192 {
        // A whole chunk is the same memory, not only the same messages.
        assert_eq!(address(&before, index), address(&after, index), "message {index}");
    }
    let (was, is) = (before.context(), after.context());
    let messages = was.transcript.messages().iter().zip(is.transcript.messages().iter());
    assert!(messages.into_iter().all(|(was, is)| Arc::ptr_eq(was, is)));
    assert!(Arc::ptr_eq(&was.metadata, &is.metadata));
    assert!(Arc::ptr_eq(&before.facts().definition, &after.facts().definition));
    assert!(Arc::ptr_eq(&before.facts().labels, &after.facts().labels));
    assert_eq!(was.transcript.messages().len(), 201);
    assert_eq!(is.transcript.messages().len(), 203);
}

#[test]
fn results_of_steps_are_shared_by_all_later_states() {
    let turn = "inference; calls: a; result: 0 x; decides;";
    let before = tell(&format!("user: hi; {}", turn.repeat(5)));
    let after = go_on(before.clone(), turn);
    let pairs = before.step_results().zip(after.step_results());
    assert_eq!(pairs.filter(|(was, is)| Arc::ptr_eq(was, is)).count(), 5);
    assert_eq!((before.step_results().count(), after.step_results().count()), (5, 6));
}

#[test]
fn the_message_in_the_transcript_is_the_one_of_the_response() {
    let state = tell("user: hi; inference; answer: done");
    let response = state.final_response().unwrap();
    let message = state.context().transcript.messages().last().unwrap();
    assert!(Arc::ptr_eq(&response.message, message));
}

#[test]
fn telling_the_time_again_is_no_change() {
    let state = blank().at(stamp(5));
    assert!(state.clone().at(stamp(5)).is_same(&state));
    assert!(state.clone().committed().is_same(&state));
}
