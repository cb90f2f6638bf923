//! When a session has work to do by itself.

use std::sync::Arc;

use legwork_core::continuation::End;
use legwork_core::event::{ParentLink, Paused, SessionStarted};
use legwork_core::inbox::Answer;
use legwork_core::state::{Input, Lapsed, PendingReason, Waits};
use legwork_core::tool::{InputRequest, Prompt};
use legwork_core::{AgentState, Event, ExecutionStatus, Timestamp, ToolOutcome};
use serde_json::json;

use crate::story::{blank, go_on, tell};

/// When a session is due after a story that begins at 1000 ms.
#[track_caller]
fn check(story: &str, due_at: Option<u64>) {
    assert_eq!(tell(story).due_at(), due_at.map(Timestamp), "after: {story}");
}

#[test]
fn s8_9_an_execution_is_due_until_it_ends_or_waits() {
    check("", None);
    check("user: go", Some(1_000));
    check("user: go; inference", Some(1_000));
    check("user: go; inference; calls: read; judged; starts: 0", Some(1_000));
    check("user: go; inference; answer: done; decides", Some(1_000));
    check("user: go; inference; answer: done; decides; ends", None);
    let waits = "user: go; inference; calls: read; judged; pauses: 0";
    check(waits, None);
    check(&format!("{waits}; tell: 0"), Some(1_000));
    check(&format!("{waits}; stop: enough"), Some(1_000));
    check(&format!("{waits}; steer: faster"), None);
}

#[test]
fn s8_9_a_queued_message_is_due_where_nothing_is_under_way() {
    let begun = |parent| {
        let (session, agent) = ("s".into(), "clerk".into());
        Event::SessionStarted(SessionStarted { session, agent, parent, forked_from: None })
    };
    let idle = blank().with(begun(None));
    assert_eq!(idle.due_at(), None);
    for said in ["follow up: and this", "steer: and this"] {
        let queued = go_on(idle.clone(), said);
        assert_eq!(queued.due_at(), Some(Timestamp(1_000)), "{said}");
    }
    let delivered = go_on(idle, "follow up: this; user: go; followed up");
    let ended = go_on(delivered, "inference; answer: done; decides; ends");
    assert_eq!(ended.due_at(), None);
    // Only its parent runs a subagent's session.
    let (call, began) = ("call".into(), Timestamp(1));
    let parent = ParentLink { session: "parent".into(), call, began };
    let child = go_on(blank().with(begun(Some(parent))), "follow up: and this");
    assert_eq!(child.due_at(), None);
}

#[test]
fn s8_9_a_wait_that_time_ends_is_due_then() {
    let state = tell("user: go; inference; calls: read, bash; judged; pauses: 0, 1");
    let until = |times: [Option<u64>; 2], expires: Option<u64>| {
        let mut pending = state.pending().to_vec();
        for (pending, time) in pending.iter_mut().zip(times) {
            pending.reason = match time {
                Some(time) => PendingReason::Until(Timestamp(time)),
                None => PendingReason::Approval,
            };
            pending.expires_at = expires.map(Timestamp).filter(|_| time.is_none());
        }
        let paused = Paused { pending, ..Paused::default() };
        let summary = Arc::clone(state.clone().with(Event::Paused(paused)).summary());
        summary.due_at.map(|time| time.0)
    };
    assert_eq!(until([Some(5_000), Some(3_000)], None), Some(3_000));
    assert_eq!(until([Some(5_000), None], None), Some(5_000));
    assert_eq!(until([None, None], Some(7_000)), Some(7_000));
    assert_eq!(until([None, None], None), None);
}

#[test]
fn s7_10_a_call_that_waits_for_the_model_is_work_and_takes_no_value_of_a_person() {
    let state = tell("user: go; inference; calls: read, bash; judged; pauses: 0, 1");
    let mut pending = state.pending().to_vec();
    let asks = InputRequest::of_model(Prompt::new("Name a colour."));
    let waits = state.as_waiting(0, Waits::Input(asks)).unwrap();
    assert_eq!(
        (&waits.reason, waits.explanation.as_deref()),
        (&PendingReason::Model, Some("Name a colour."))
    );
    pending[0] = waits.clone();
    let paused = Paused { pending, ..Paused::default() };
    let state = state.with(Event::Paused(paused));
    let began = state.execution().unwrap().started_at;
    assert!(state.status().unwrap().is_waiting(), "another one waits for a person");
    assert_eq!(state.due_at(), Some(began), "the model is asked all the same");
    assert!(matches!(state.end(), End::Interrupted), "it is to be run, and not only answered");
    let paused = Paused { pending: vec![waits.clone()], ..Paused::default() };
    let alone = state.clone().with(Event::Paused(paused));
    assert_eq!(alone.status(), Some(&ExecutionStatus::InProgress), "it waits for nobody");
    assert_eq!(alone.due_at(), Some(began));

    let supplies = Answer::supply(&waits, json!("red"));
    let refused = state.decide(Input::Answer(supplies)).unwrap_err().to_string();
    assert!(
        refused.contains("asks the model: it goes on when the session runs, or deny the call"),
        "{refused}"
    );
    let denies = state.decide(Input::Answer(Answer::deny(&waits, "no"))).unwrap();
    let state = denies.into_iter().fold(state, AgentState::with);
    assert!(state.status().unwrap().is_waiting(), "the other one waits for a person");
    assert!(state.call(0).unwrap().execution().is_some());
}

#[test]
fn s7_10_a_call_without_its_prompt_is_no_work_and_fails() {
    let state = tell("user: go; inference; calls: read; judged; pauses: 0");
    let waits = state.as_pending(0, PendingReason::Model).unwrap();
    let paused = Paused { pending: vec![waits.clone()], ..Paused::default() };
    let state = state.with(Event::Paused(paused));
    assert!(state.status().unwrap().is_waiting());
    assert_eq!(state.due_at(), None);
    assert!(state.decide(Input::Answer(Answer::deny(&waits, "no"))).is_ok());
    let lapsed = state.lapsed(None, false);
    let [(0, Lapsed::Ends(ToolOutcome::Failed(_, why)))] = &lapsed[..] else {
        panic!("{lapsed:?}")
    };
    assert!(why.contains("does not have what it asks the model"), "{why}");
}
