//! `decide` is the one place that says no: each refusal, and that it changes nothing.

use legwork_core::budget::Amounts;
use legwork_core::event::{ParentLink, SessionStarted, ToolStarted};
use legwork_core::inbox::{Answer, Cursor, Item, Label, Posted, Verdict};
use legwork_core::state::{Input, Judged, Pending, PendingReason, Refusal};
use legwork_core::{
    AgentState, Digest, EffectClass, EffectKey, Event, Message, Part, Seq, SessionId, Stamp,
    Timestamp, ToolCall,
};
use serde_json::Value;

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
fn s10_2_an_answer_needs_a_pending_call_of_its_id() {
    let state = tell("user: hi; inference; calls: a; starts: 0; pauses: 0");
    let answer = |id: &str| Answer::new(id.to_owned(), Verdict::Tell);
    let unknown = |id: &str| Refusal::UnknownPending { id: id.to_owned() };
    refuses(&state, Input::Answer(answer("s/3/7")), unknown("s/3/7"));
    let events = state.decide(Input::Answer(answer("s/3/0"))).unwrap();
    let state = events.into_iter().fold(state, AgentState::with);
    let answered = Refusal::AnsweredBefore { id: "s/3/0".to_owned() };
    let words = refuses(&state, Input::Answer(answer("s/3/0")), answered);
    assert!(words.contains("answered before"), "{words}");
}

#[test]
fn s5_4_a_call_that_waits_for_its_subagent_is_answered_in_that_session() {
    let state = tell("user: hi; inference; calls: ask");
    let child = SessionId::new("s.3-0");
    let started = ToolStarted {
        index: 0,
        effect: EffectClass::Idempotent,
        arguments: None,
        child: Some(child.clone()),
        reserved: Amounts::default(),
        again: false,
    };
    let state = state.with(Event::ToolStarted(started));
    let waits = |reason| {
        let pending = state.as_pending(0, reason).unwrap();
        state.clone().with_pending([pending])
    };
    let answer = || Answer::new("s/3/0".to_owned(), Verdict::Tell);
    let refusal = Refusal::SubagentWaits { id: "s/3/0".to_owned(), child };
    let words = refuses(&waits(PendingReason::Subagent), Input::Answer(answer()), refusal);
    assert!(words.contains("s.3-0"), "{words}");
    // Whether it happened may be said all the same.
    assert!(waits(PendingReason::Doubt).decide(Input::Answer(answer())).is_ok());
}

#[test]
fn s10_2_what_waits_is_named_by_the_key_and_the_digest_of_exactly_that_call() {
    let pending = |calls: &str, index: u32, arguments: Option<&str>| {
        let state = tell(&format!("user: hi; inference; calls: {calls}"));
        let state = state.at(Stamp { wall: Timestamp(7), ..Stamp::default() });
        let state = match arguments {
            Some(arguments) => {
                let judged = Judged::with_arguments(arguments.into(), Value::Null.into());
                state.with_judged(index, judged)
            }
            None => state,
        };
        state.as_pending(index, PendingReason::Doubt).unwrap()
    };
    let first = pending("a, a", 0, None);
    assert_eq!((&*first.id, first.index, &*first.tool), ("s/3/0", 0, "a"));
    assert_eq!((&*first.arguments, first.asked_at), ("{}", Timestamp(7)));
    assert_eq!(first, pending("a, b", 0, None), "whatever the other calls are");
    let changed = pending("a, a", 0, Some("{\"n\":1}"));
    assert_eq!(&*changed.arguments, "{\"n\":1}");
    for other in [pending("a, a", 1, None), pending("b, a", 0, None), changed] {
        assert!(other.digest != first.digest, "{other:?}");
    }
}

#[test]
fn s7_1_the_digest_of_a_call_is_of_its_id_its_tool_its_spec_and_the_values_it_is_given() {
    let digest = |key: &str, id: &str, tool: &str, arguments: &str, spec: &[u8]| {
        let key = EffectKey { session: SessionId::new(key), entry: Seq(3), index: 0 };
        let (call, spec) = (ToolCall::new(id, tool, arguments), Digest::of_bytes(spec));
        let (reason, at) = (PendingReason::Approval, Timestamp(7));
        let waits = |after| {
            Pending::new(&key, &call, &call.arguments, Some(&spec), reason.clone(), after, at)
        };
        assert!(waits(Seq(8)).digest != waits(Seq(9)).digest, "it waits once more");
        waits(Seq(8)).digest
    };
    let first = digest("s", "c", "send", r#"{"a":1,"b":2}"#, b"spec");
    assert_eq!(
        digest("s", "c", "send", r#"{ "b": 2, "a": 1 }"#, b"spec"),
        first,
        "the same values"
    );
    for other in [
        digest("t", "c", "send", r#"{"a":1,"b":2}"#, b"spec"),
        digest("s", "d", "send", r#"{"a":1,"b":2}"#, b"spec"),
        digest("s", "c", "sent", r#"{"a":1,"b":2}"#, b"spec"),
        digest("s", "c", "send", r#"{"a":1,"b":3}"#, b"spec"),
        digest("s", "c", "send", r#"{"a":1,"b":2}"#, b"another"),
    ] {
        assert!(other != first);
    }
}

#[test]
fn s7_5_a_state_is_told_what_a_session_may_be_told() {
    let state = tell("user: hi").with_steering_message("look left").unwrap();
    assert!(state.context().steered);
    assert_eq!(state.context().transcript.messages().last().unwrap().text(), "look left");
    let state = state.with_follow_up_message("and then?").unwrap();
    let queued: Vec<_> = state.facts().follow_ups.iter().map(|message| message.text()).collect();
    assert_eq!(queued, ["and then?"]);
    let call = ToolCall::new("c", "look", "{}");
    let open = || Message::assistant(vec![Part::ToolCall(call.clone().into())]);
    let refused = state.clone().with_steering_message(open());
    assert!(matches!(refused, Err(Refusal::Malformed(_))), "{refused:?}");
    let refused = state.with_follow_up_message(open());
    assert!(matches!(refused, Err(Refusal::Malformed(_))), "{refused:?}");
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
fn s8_2_the_head_of_a_subagents_session_does_not_move() {
    let parent = SessionId::new("p");
    let link = ParentLink { session: parent.clone(), call: "c".into(), began: Timestamp(7) };
    let (session, agent) = (SessionId::new("s"), "a".into());
    let started = SessionStarted { session, agent, parent: Some(link), forked_from: None };
    let state = go_on(blank().with(Event::SessionStarted(started)), "user: hi");
    refuses(&state, Input::MoveHead(Seq(1)), Refusal::IsSubagent { parent });
}

#[test]
fn s8_2_an_item_is_taken_once_and_only_if_it_may_be() {
    let posted = |cursor, item| Posted { cursor: Cursor(cursor), key: "k".into(), item };
    let state = tell("user: hi; steer: look");
    let stop = || Item::Stop("enough".into());
    refuses(&state, Input::Take(posted(1, stop())), Refusal::AlreadyTaken);
    refuses(&state, Input::Take(posted(0, stop())), Refusal::AlreadyTaken);
    assert_eq!(state.decide(Input::Take(posted(2, stop()))).unwrap().len(), 2);
    let last = state.version();
    let unknown = |entry| Refusal::UnknownEntry { entry: Seq(entry), last };
    refuses(&state, Input::Take(posted(2, Item::MoveHead(Seq(9)))), unknown(9));
    let label = Label { entry: Seq(9), text: None };
    refuses(&state, Input::Take(posted(2, Item::Label(label))), unknown(9));
    let answer = Answer::new("x", Verdict::Tell);
    let pending = Refusal::UnknownPending { id: "x".into() };
    refuses(&state, Input::Take(posted(2, Item::Answer(answer))), pending);
    // What is taken up is two entries: the cursor and the effect.
    assert_eq!(state.decide(Input::Take(posted(2, Item::MoveHead(Seq(1))))).unwrap().len(), 2);
    for idle in ["", "user: hi; inference; answer: x; decides; ends"] {
        let words = tell(idle).decide(Input::Take(posted(1, stop()))).unwrap_err().to_string();
        assert!(words.contains("nothing to stop"), "{words}");
    }
}
