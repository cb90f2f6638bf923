//! S2.3: what changed between two states, as a hook's permissions are held against.

use std::sync::Arc;

use legwork_core::state::{CurrentToolCall, CurrentToolExecution, Judged};
use legwork_core::{AgentState, Decision, ModelRequest, ToolSelection};
use serde_json::json;

use crate::story::{go_on, outcome, tell};

/// The names of what changed by a change.
fn names(before: &AgentState, after: &AgentState) -> Vec<String> {
    after.changes_since(before).iter().map(|change| change.name().to_owned()).collect()
}

fn request() -> Arc<ModelRequest> {
    let state = tell("user: hi");
    Arc::new(ModelRequest::new(state.context().transcript.settled().unwrap(), Arc::default()))
}

fn call(state: &AgentState) -> Arc<CurrentToolCall> {
    let call = Arc::clone(&state.current_step().unwrap().calls.get(0).unwrap().call);
    Arc::new(CurrentToolCall::new(0, call, Arc::new(json!({}))))
}

/// Each transient part, with a state that has it and the same without it.
fn transient() -> Vec<(&'static str, AgentState, AgentState)> {
    let base = tell("user: hi; inference; calls: a, b; result: 0 x");
    let with = |change: fn(AgentState) -> AgentState| change(base.clone());
    let execution = || {
        let execution =
            base.current_step().unwrap().calls.get(0).unwrap().execution().unwrap().clone();
        CurrentToolExecution { index: 0, execution }
    };
    let provisional = outcome(&base);
    let selected = with(|s| s.with_tool_selection(Some(ToolSelection::all().hide("a"))));
    let asked = base.clone().with_current_request(Some(request()));
    let judging = base.clone().with_current_tool_call(Some(call(&base)));
    let shown = base.clone().with_current_tool_execution(Some(execution()));
    let judged = with(|s| s.with_judged(1, Judged::default()));
    let voted = with(|s| s.with_vote("hook", Decision::Request));
    let prevented = with(|s| s.with_stop_prevented("hook"));
    let decided = base.clone().with_provisional_outcome(Some(provisional));
    vec![
        ("tool_selection", selected.clone(), selected.with_tool_selection(None)),
        ("current_request", asked.clone(), asked.with_current_request(None)),
        ("current_tool_call", judging.clone(), judging.with_current_tool_call(None)),
        ("current_tool_execution", shown.clone(), shown.with_current_tool_execution(None)),
        ("judged", judged, base.clone().with_provisional_outcome(None)),
        ("votes", voted.clone(), voted.without_votes()),
        ("stop_prevented", prevented.clone(), prevented.without_votes()),
        ("provisional_outcome", decided.clone(), decided.with_provisional_outcome(None)),
    ]
}

#[test]
fn s2_3_each_transient_part_is_reported_when_it_is_set_and_removed() {
    for (name, with, without) in transient() {
        assert_eq!(names(&without, &with), [name]);
        assert_eq!(names(&with, &without), [name], "{name} goes");
        // A change of other transient data does not include it.
        let other = with.clone().with_vote("other", Decision::Allow);
        assert_eq!(names(&with, &other), ["votes"], "{name} stays");
    }
}

#[test]
fn s2_3_recorded_events_are_reported_in_order_before_transient_changes() {
    let before = tell("user: hi");
    assert!(names(&before, &before.clone()).is_empty());
    let after = go_on(before.clone(), "message: a; error: b").with_stop_prevented("hook");
    assert_eq!(names(&before, &after), ["message_added", "failed", "stop_prevented"]);
    assert_eq!(names(&go_on(before, "message: a"), &after).len(), 2);
}

#[test]
fn s2_3_a_commit_is_a_change_and_setting_the_time_is_not() {
    let before = tell("user: hi");
    assert_eq!(names(&before, &before.clone().committed()), ["committed"]);
    assert!(names(&before, &before.clone().at(crate::story::stamp(9))).is_empty());
    let selected = before.clone().with_tool_selection(Some(ToolSelection::all()));
    let again = selected.clone().with_tool_selection(Some(ToolSelection::all()));
    assert!(names(&selected, &again).is_empty(), "the same selection is no change");
}

#[test]
fn s2_3_requests_are_compared_by_address() {
    let first = request();
    let state = |request: &Arc<ModelRequest>| {
        tell("user: hi").with_current_request(Some(Arc::clone(request)))
    };
    let one = state(&first);
    let same = one.clone().with_current_request(Some(Arc::clone(&first)));
    assert!(names(&one, &same).is_empty());
    let other = one.clone().with_current_request(Some(request()));
    assert_eq!(names(&one, &other), ["current_request"]);
}
