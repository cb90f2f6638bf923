//! What a journal answers about its tree.

use std::sync::Arc;

use legwork_core::budget::Amounts;
use legwork_core::event::{InferenceStarted, ToolStarted, ToolsShown};
use legwork_core::journal::Journal;
use legwork_core::state::CallStatus;
use legwork_core::{EffectClass, Entry, Event, Message, Seq, Timestamp, ToolOutcome, ToolSpec};
use serde_json::json;

use crate::story::{go_on, tell};

fn entry(seq: u64, parent: u64) -> Arc<Entry> {
    let event = Event::MessageAdded(Arc::new(Message::user("x")));
    Arc::new(Entry { seq: Seq(seq), parent: Seq(parent), at: Timestamp(0), event })
}

/// 1 - 2 - 3 - 6 and 2 - 4 - 5, and a second root 7.
fn tree() -> Journal {
    let parents = [(6, 3), (2, 1), (1, 0), (3, 2), (5, 4), (4, 2), (7, 0)];
    Journal::new(parents.map(|(seq, parent)| entry(seq, parent)).to_vec())
}

#[test]
fn s8_1_a_path_leads_from_the_root_to_its_head() {
    let path = |head| tree().path(Seq(head)).iter().map(|e| e.seq.0).collect::<Vec<_>>();
    assert_eq!(path(6), [1, 2, 3, 6]);
    assert_eq!(path(5), [1, 2, 4, 5]);
    assert_eq!(path(7), [7]);
    assert!(path(0).is_empty() && path(99).is_empty());
}

#[test]
fn s8_1_children_are_those_that_name_their_parent() {
    let children = |seq| tree().children(Seq(seq)).map(|e| e.seq.0).collect::<Vec<_>>();
    assert_eq!(children(2), [3, 4]);
    assert_eq!(children(0), [1, 7]);
    assert!(children(6).is_empty());
}

#[test]
fn s8_1_a_journal_knows_its_entries_its_version_and_its_head() {
    let tree = tree();
    assert_eq!((tree.version(), tree.head()), (Seq(7), Seq(7)));
    assert_eq!(tree.get(Seq(4)).unwrap().parent, Seq(2));
    assert!(tree.get(Seq(8)).is_none());
    assert!(tree.entries().is_sorted_by_key(|entry| entry.seq));
    let empty = Journal::default();
    assert_eq!((empty.version(), empty.head()), (Seq::ZERO, Seq::ZERO));
}

#[test]
fn s1_2_tools_shown_final_arguments_and_outcomes_are_there_after_a_crash() {
    let spec = ToolSpec::new("a", "looks", json!({"type": "object"}));
    let digests = vec![spec.digest()];
    let (specs, instructions) = (vec![Arc::new(spec)], Some("Be quick.".into()));
    let tools = ToolsShown { digest: None, specs, digests, instructions };
    let reserved = Amounts::default();
    let state = tell("user: hi").with(Event::InferenceStarted(InferenceStarted {
        reserved,
        tools: Some(Arc::new(tools)),
        request: None,
    }));
    let state = go_on(state, "calls: a, b; result: 0 x").with(Event::ToolStarted(ToolStarted {
        index: 1,
        effect: EffectClass::Idempotent,
        arguments: Some("{\"changed\":1}".into()),
        child: None,
        reserved,
        again: false,
    }));
    let text = state.uncommitted().iter().map(|entry| entry.encode().unwrap());
    let read = text.map(|line| Arc::new(Entry::decode(&line).unwrap())).collect();
    let state = Journal::new(read).fold(state.session());
    let shown = state.context().tools_shown.as_ref().unwrap();
    assert_eq!(shown.specs.iter().map(|spec| &*spec.name).collect::<Vec<_>>(), ["a"]);
    let calls: Vec<_> = state.current_step().unwrap().calls.iter().collect();
    let [first, second] = calls[..] else { panic!("two calls") };
    assert_eq!(first.execution().unwrap().outcome, Arc::new(ToolOutcome::text("x")));
    assert_eq!(&**second.arguments(), "{\"changed\":1}");
    assert_eq!(second.status, CallStatus::Started(EffectClass::Idempotent));
}
