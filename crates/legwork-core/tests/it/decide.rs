//! `decide` is the one place that says no: each refusal, and that it changes nothing.

use legwork_core::budget::Amounts;
use legwork_core::event::{ParentLink, Paused, SessionStarted, ToolStarted};
use legwork_core::inbox::{Answer, Cursor, Item, Label, Posted, Verdict};
use legwork_core::state::{Input, PendingReason, Refusal};
use legwork_core::{AgentState, EffectClass, Event, Message, Seq, SessionId, Timestamp};

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
    let answer = |id: &str| Answer { id: id.to_owned(), verdict: Verdict::Tell };
    let unknown = |id: &str| Refusal::UnknownPending { id: id.to_owned() };
    refuses(&state, Input::Answer(answer("s/3/7")), unknown("s/3/7"));
    let events = state.decide(Input::Answer(answer("s/3/0"))).unwrap();
    let state = events.into_iter().fold(state, AgentState::with);
    let words = refuses(&state, Input::Answer(answer("s/3/0")), unknown("s/3/0"));
    assert!(words.contains("answered already"), "{words}");
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
        let slot = &state.current_step().unwrap().calls.get(0).unwrap();
        let pending = slot.pending(&state.effect_key(0).unwrap(), reason, Timestamp(7));
        state.clone().with(Event::Paused(Paused { pending: vec![pending] }))
    };
    let answer = || Answer { id: "s/3/0".to_owned(), verdict: Verdict::Tell };
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
        let mut slot = state.current_step().unwrap().calls.get(index as usize).unwrap().clone();
        slot.arguments = arguments.map(Into::into);
        let key = state.effect_key(index).unwrap();
        slot.pending(&key, PendingReason::Doubt, Timestamp(7))
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
    let started = SessionStarted { session, agent, parent: Some(link) };
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
    let answer = Answer { id: "x".into(), verdict: Verdict::Tell };
    let pending = Refusal::UnknownPending { id: "x".into() };
    refuses(&state, Input::Take(posted(2, Item::Answer(answer))), pending);
    // What is taken up is two entries: the cursor and the effect.
    assert_eq!(state.decide(Input::Take(posted(2, Item::MoveHead(Seq(1))))).unwrap().len(), 2);
    for idle in ["", "user: hi; inference; answer: x; decides; ends"] {
        let words = tell(idle).decide(Input::Take(posted(1, stop()))).unwrap_err().to_string();
        assert!(words.contains("nothing to stop"), "{words}");
    }
}
