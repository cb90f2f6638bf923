//! What holds for every conversation and every pipeline.

use std::sync::Arc;

use legwork_context::compaction::{Files, Plan, Policy};
use legwork_context::transforms::{
    DropTraces, Redact, RemoveRepeats, RemoveSimilar, SlidingWindow, SummariseResults, TokenBudget,
    TruncateResults, each, whole,
};
use legwork_context::{Memory, PINNED, Pipeline, Shown, View, digest, pinned};
use legwork_core::event::CompactionCause;
use legwork_core::journal::Journal;
use legwork_core::message::{App, ResultPart};
use legwork_core::{CallId, Message, Part, SessionId, Timestamp};
use proptest::prelude::*;
use serde_json::json;

use crate::story::Story;

/// Something that happens in a session.
#[derive(Debug, Clone)]
enum Deed {
    User(u8),
    Pinned(u8),
    Calls(Vec<(u8, u8)>, Option<u64>),
    Answer(u8),
    App(u8),
    Summary(usize, u8),
    Compared(usize, usize),
    Pin(usize),
    Compact(u64),
    Move(usize),
    Reload,
}

fn deed() -> impl Strategy<Value = Deed> {
    let calls = prop::collection::vec((0u8..3, 0u8..12), 1..4);
    prop_oneof![
        4 => any::<u8>().prop_map(Deed::User),
        1 => any::<u8>().prop_map(Deed::Pinned),
        12 => (calls, prop::option::of(1u64..500)).prop_map(|(calls, input)| Deed::Calls(calls, input)),
        3 => any::<u8>().prop_map(Deed::Answer),
        2 => (0u8..5).prop_map(Deed::App),
        2 => (0usize..40, any::<u8>()).prop_map(|(at, n)| Deed::Summary(at, n)),
        2 => (0usize..40, 0usize..40).prop_map(|(at, of)| Deed::Compared(at, of)),
        1 => (0usize..40).prop_map(Deed::Pin),
        1 => (5u64..120).prop_map(Deed::Compact),
        1 => (0usize..60).prop_map(Deed::Move),
        1 => Just(Deed::Reload),
    ]
}

/// The text of a result: some of several lines, some the same as others.
fn result(kind: u8) -> String {
    match kind {
        0..4 => format!("short {kind}"),
        4..8 => format!("{}\n", "a line of a result").repeat(usize::from(kind)),
        8 => format!("{}changed", "one more line\n".repeat(20)),
        9 => format!("{}new", "one more line\n".repeat(20)),
        10 => "a secret in a result".to_owned(),
        _ => "é漢🧵".repeat(20),
    }
}

fn app(kind: u8) -> Message {
    let (kind, data) = match kind {
        0 => ("note", json!({"text": "for people"})),
        1 => {
            ("shell_run", json!({"command": "ls", "output": "a\n", "exit": 0, "in_context": true}))
        }
        2 => ("shell_run", json!({"command": "ls", "output": "a", "exit": 1, "in_context": false})),
        3 => ("file_change", json!("not what it should be")),
        _ => ("unknown", json!({})),
    };
    Message::of_app(App::new(kind, data))
}

fn happens(story: Story, deed: &Deed) -> Story {
    match deed {
        Deed::User(n) => story.user(&format!("task {n}")),
        Deed::Pinned(n) => story.says(pinned(Message::user(format!("pinned {n}")))),
        Deed::Calls(calls, input) => {
            let calls: Vec<_> = calls.iter().map(|(tool, kind)| (*tool, result(*kind))).collect();
            let names = ["a", "b", "c"];
            let calls: Vec<_> = calls
                .iter()
                .map(|(tool, result)| (names[usize::from(*tool)], r#"{"p":1}"#, &**result))
                .collect();
            story.step(if calls.len() == 2 { "two" } else { "" }, &calls, *input)
        }
        Deed::Answer(n) if story.state.execution().is_some() => {
            story.answer(&format!("answer {n}"))
        }
        Deed::Answer(n) => story.user(&format!("task {n}")),
        Deed::App(kind) => story.adds(app(*kind)),
        Deed::Summary(at, n) => match story.results().get(*at).copied() {
            Some(key) => story.summarises(key, &format!("summary {n}")),
            None => story,
        },
        Deed::Compared(at, of) => {
            let results = story.results();
            match (results.get(*at).copied(), results.get(*of).copied()) {
                (Some(at), Some(of)) if of < at => story.compares(at, Some(of)),
                (Some(at), _) => story.compares(at, None),
                _ => story,
            }
        }
        Deed::Pin(at) => {
            let entry = story.state.context().transcript.entry(*at);
            let list = entry.map(|entry| json!([entry]));
            let state = story.state.clone().with_metadata(PINNED, list);
            Story { state, ..story }
        }
        Deed::Compact(keep) => {
            let policy = Policy::new().keep(*keep);
            match Plan::of(&story.state, &policy, None, CompactionCause::Manual) {
                Ok(plan) => {
                    let summary = "what came before".to_owned();
                    let compacted = plan.compacted(&story.state, summary, Files::default());
                    story.compacts(compacted)
                }
                Err(_) => story,
            }
        }
        Deed::Move(to) => {
            // Not into the middle of a turn: nothing is sent of such a state.
            let entries = story.entries();
            let Some(to) = entries.get(*to).map(|entry| entry.seq) else { return story };
            let moved = story.clone().moves(to.0);
            let is_settled = moved.state.context().transcript.settled().is_some();
            if is_settled && moved.state.current_step().is_none() { moved } else { story }
        }
        Deed::Reload => story.reloads(),
    }
}

/// A transform of a number.
fn with(pipeline: Pipeline, (kind, high, low): (u8, u64, u64)) -> Pipeline {
    let size = usize::try_from(high).unwrap();
    match kind {
        0 => pipeline.with(SlidingWindow::of_units(high).down_to(low)),
        1 => pipeline.with(SlidingWindow::of_messages(high).down_to(low)),
        2 => pipeline.with(TokenBudget::of(high * 20).down_to(low * 20)),
        3 => pipeline.with(TruncateResults::new().bytes(size * 5).lines(size)),
        4 => pipeline.with(DropTraces::keep(high).down_to(low)),
        5 => pipeline.with(RemoveRepeats::new().above(size * 2)),
        6 => pipeline.with(SummariseResults::above(20)),
        7 => pipeline.with(RemoveSimilar::above(20)),
        8 => pipeline.with(Redact::by(|text| {
            text.contains("secret").then(|| text.replace("secret", "[hidden]"))
        })),
        9 => pipeline.with(each("starts_with_a", 350, |unit, _| {
            unit.with_results(|_, result| {
                let counts = result.text().starts_with('a');
                counts.then(|| vec![ResultPart::Text("shorter".to_owned())])
            })
        })),
        _ => pipeline.with(whole("every_third", 450, move |view: &mut View, _| {
            let ordinals: Vec<_> = view.units().iter().map(|unit| unit.ordinal()).collect();
            for ordinal in ordinals.into_iter().filter(|ordinal| ordinal % (size + 2) == 0) {
                if let Some(at) = view.position(ordinal).filter(|at| at + 1 < view.len()) {
                    view.remove(at..at + 1);
                }
            }
        })),
    }
}

fn pipeline() -> impl Strategy<Value = (Pipeline, Vec<u8>)> {
    let transform = (0u8..11, 1u64..9, 0u64..9);
    prop::collection::vec(transform, 0..5).prop_map(|all| {
        let kinds = all.iter().map(|(kind, ..)| *kind).collect();
        (all.into_iter().fold(Pipeline::new(), with), kinds)
    })
}

/// Each call has exactly one result, right behind its message, in call order.
fn pairs(messages: &[Arc<Message>]) -> Result<(), TestCaseError> {
    let mut open: Vec<CallId> = Vec::new();
    for message in messages {
        let results = message.parts.iter().filter_map(|part| match part {
            Part::ToolResult(result) => Some(result.call.clone()),
            _ => None,
        });
        let results: Vec<_> = results.collect();
        prop_assert!(!results.is_empty() || open.is_empty(), "a call waits for its result");
        prop_assert!(results.len() <= open.len(), "a result answers no call");
        let due: Vec<_> = open.drain(..results.len()).collect();
        prop_assert_eq!(results, due, "results out of order");
        open.extend(message.tool_calls().map(|call| call.id.clone()));
        prop_assert!(message.app.is_none(), "a message of a program was not rendered");
    }
    prop_assert!(open.is_empty(), "a call has no result");
    Ok(())
}

/// What is pinned, and the first task.
fn stays(story: &Story, shown: &[Arc<Message>]) -> Result<(), TestCaseError> {
    let context = story.state.context();
    let listed = context.metadata.get(PINNED).cloned().unwrap_or_default();
    let listed: Vec<_> =
        listed.as_array().into_iter().flatten().filter_map(|one| one.as_u64()).collect();
    let is_there = |message: &Arc<Message>| {
        shown.iter().any(|other| other.text() == message.text() && other.role == message.role)
    };
    let mut task = true;
    for (at, message) in context.transcript.messages().iter().enumerate() {
        let entry = context.transcript.entry(at).unwrap();
        let is_pinned = message.metadata.get(PINNED).is_some() || listed.contains(&entry.0);
        let is_user = *message.role.as_str() == *"user" && message.app.is_none();
        if is_pinned && is_user {
            prop_assert!(is_there(message), "{} is pinned, and gone", message.text());
        }
        if is_user && std::mem::take(&mut task) && context.compaction.is_none() {
            prop_assert!(is_there(message), "the first task is gone");
        }
    }
    let last = context.transcript.messages().iter().rev().find(|message| message.app.is_none());
    let is_user = |message: &&Arc<Message>| *message.role.as_str() == *"user";
    if let Some(last) = last.filter(is_user) {
        prop_assert!(is_there(last), "the last message is gone");
    }
    Ok(())
}

fn messages(shown: &Shown) -> Vec<Arc<Message>> {
    shown.messages.messages().to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s9_2_a_view_that_grew_is_the_view_made_anew(
        deeds in prop::collection::vec((deed(), any::<bool>()), 1..40),
        (pipeline, kinds) in pipeline(),
    ) {
        let mut story = Story::of("the first task");
        let mut memory = Memory::new();
        let mut before: Option<Vec<Arc<Message>>> = None;
        for (deed, asks) in deeds {
            story = happens(story, &deed);
            if !asks || story.state.context().transcript.settled().is_none() {
                continue;
            }
            let shown = story.shown(&pipeline, &mut memory);
            let now = messages(&shown);
            pairs(&now)?;
            // What redacts or leaves out by itself changes texts of what is pinned, too.
            if !kinds.contains(&10) {
                stays(&story, &now)?;
            }
            // The same without what was kept, and the same again: it is a function of the state.
            let anew = story.shown(&pipeline, &mut Memory::new());
            prop_assert_eq!(&now, &messages(&anew), "after {:?}", deed);
            prop_assert_eq!(&shown.report.left_out, &anew.report.left_out);
            // What is said of the request before is true.
            let kept = before.as_ref().map(|before| {
                now.iter().zip(before).take_while(|(new, old)| new == old).count()
            });
            prop_assert_eq!(shown.report.kept, kept, "after {:?}", deed);
            // The digest that was kept up to date is the one of the whole request.
            let request = shown.request(Arc::default());
            prop_assert_eq!(request.messages().len(), now.len());
            prop_assert_eq!(&shown.sent(&request).digest, &digest(&request));
            before = Some(now);
        }
    }

    #[test]
    fn s9_2_units_one_by_one_are_read_as_all_at_once(
        deeds in prop::collection::vec(deed(), 1..30),
        (pipeline, _) in pipeline(),
    ) {
        let (mut story, mut memory) = (Story::of("the first task"), Memory::new());
        let mut last = None;
        for deed in deeds {
            story = happens(story, &deed);
            if story.state.context().transcript.settled().is_some() {
                last = Some(messages(&story.shown(&pipeline, &mut memory)));
            }
        }
        if story.state.context().transcript.settled().is_some() {
            let at_once = messages(&story.shown(&pipeline, &mut Memory::new()));
            prop_assert_eq!(last.unwrap(), at_once);
        }
    }

    #[test]
    fn s8_1_a_fork_is_read_as_the_path_that_it_was_made_of(
        deeds in prop::collection::vec(deed(), 1..25),
        (pipeline, _) in pipeline(),
    ) {
        let story = deeds.iter().fold(Story::of("the first task"), happens);
        let into = SessionId::new("fork");
        let journal = Journal::new(story.entries());
        let entries = journal.fork(story.state.session(), story.state.head(), &into, Timestamp(1));
        let entries = entries.unwrap();
        let state = Journal::new(entries.clone()).fold(&into);
        let fork = Story { state, journal: entries };
        if story.state.context().transcript.settled().is_some() {
            let read = |story: &Story| messages(&story.shown(&pipeline, &mut Memory::new()));
            prop_assert_eq!(read(&fork), read(&story));
        }
    }

    #[test]
    fn s9_2_a_prefix_that_nothing_drops_stays_the_same_in_memory(
        deeds in prop::collection::vec((prop::collection::vec((0u8..3, 0u8..12), 1..4), any::<bool>()), 1..25),
    ) {
        // Transforms that only look at what was added.
        let pipeline = [3, 5, 8, 9].into_iter().fold(Pipeline::new(), |all, kind| with(all, (kind, 4, 2)));
        let (mut story, mut memory) = (Story::of("task"), Memory::new());
        let mut before = Vec::new();
        for (calls, says) in deeds {
            story = happens(story, &Deed::Calls(calls, None));
            story = if says { story.user("and this") } else { story };
            let shown = story.shown(&pipeline, &mut memory);
            let now = messages(&shown);
            prop_assert!(shown.report.rebuilt.is_empty());
            let same = now.iter().zip(&before).filter(|(new, old)| Arc::ptr_eq(new, old)).count();
            prop_assert_eq!(same, before.len());
            before = now;
        }
    }
}
