//! What a list says of a session.

use std::sync::Arc;

use legwork_core::event::{ExecutionStarted, SessionStarted};
use legwork_core::inbox::Label;
use legwork_core::journal::Journal;
use legwork_core::{AgentState, Event, ExecutionStatus, Message, Part, Seq, SessionId};

fn state() -> AgentState {
    AgentState::new(SessionId::new("s"))
}

fn started(input: impl IntoIterator<Item = Message>) -> Event {
    let input = input.into_iter().map(Arc::new).collect();
    Event::ExecutionStarted(ExecutionStarted { input })
}

fn label(entry: u64, text: Option<&str>) -> Event {
    Event::Labelled(Label { entry: Seq(entry), text: text.map(str::to_owned) })
}

#[test]
fn s8_7_the_title_is_the_first_line_of_the_first_users_text() {
    let check = |texts: &[&str], title: &str| {
        let with = |state: AgentState, text: &&str| state.with(started([Message::user(*text)]));
        assert_eq!(texts.iter().fold(state(), with).summary().title, title);
    };
    check(&["one\ntwo"], "one");
    check(&["\n\n  one  \ntwo", "three"], "one");
    check(&["", " \n", "three"], "three");
    check(&[], "");
    check(&[&"é".repeat(250)], &"é".repeat(100));
    let others = [Message::assistant(vec![Part::text("no")]), Message::user("yes")];
    assert_eq!(state().with(started(others)).summary().title, "yes");
}

#[test]
fn s8_7_a_summary_is_made_anew_only_when_something_in_it_changed() {
    let begun = SessionStarted {
        session: "s".into(),
        agent: "clerk".into(),
        parent: None,
        forked_from: None,
    };
    let state = state().with(Event::SessionStarted(begun)).with(started([Message::user("go")]));
    let summary = Arc::clone(state.summary());
    assert_eq!(summary.agent, Some("clerk".into()));
    assert_eq!(summary.status, Some(ExecutionStatus::InProgress));
    let note = Event::MessageAdded(Arc::new(Message::user("a note")));
    let state = state.with(note.clone()).with(note);
    assert!(Arc::ptr_eq(&summary, state.summary()));
    let state = state.with(label(2, Some("good"))).with(label(3, Some("good")));
    assert!(state.summary().labels.iter().eq(["good"]));
    let state = state.with(label(2, None)).with(label(3, None));
    assert!(state.summary().labels.is_empty() && state.summary().says_the_same(&summary));
}

#[test]
fn s8_7_the_summary_of_a_state_is_that_of_its_journal() {
    let events = [
        started([Message::user("go")]),
        label(1, Some("first")),
        started([Message::user("more")]),
        label(1, None),
        label(3, Some("third")),
    ];
    let (mut live, mut entries) = (state(), Vec::new());
    for event in events {
        live = live.with(event);
        entries.extend(live.uncommitted().to_shared().iter().cloned());
        live = live.committed();
        let folded = Journal::new(entries.clone()).fold(live.session());
        assert_eq!(folded.summary(), live.summary());
        // A state that was written down and read again makes it anew.
        let read: AgentState =
            serde_json::from_value(serde_json::to_value(&live).unwrap()).unwrap();
        assert_eq!(read.summary(), live.summary());
    }
    assert_eq!(live.on_path(Vec::new()).summary().status, None);
}
