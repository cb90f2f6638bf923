//! S9.5: compaction, from the question whether it is due to the view that shows the summary.

use std::sync::Arc;

use legwork_context::compaction::{Cannot, Files, Plan, Policy};
use legwork_context::transforms::SlidingWindow;
use legwork_context::{Memory, Pipeline, pinned};
use legwork_core::budget::Amounts;
use legwork_core::event::{Compacted, CompactionCause, InferenceStarted, ToolFinished, ToolsShown};
use legwork_core::inference::Incomplete;
use legwork_core::tool::{Metadata, ToolSpecs};
use legwork_core::{
    Digest, EffectClass, Event, FinishReason, Message, ModelSettings, Response, ToolOutcome,
    ToolSpec,
};
use serde_json::json;

use crate::story::{Story, line, lines};

const LONG: usize = 300;

/// A session of tasks with so many steps each; each step has about 120 tokens.
fn tasks(steps: &[usize]) -> Story {
    steps.iter().enumerate().fold(Story::new(), |story, (task, steps)| {
        let story = story.user(&format!("task {task}"));
        let story = (0..*steps).fold(story, |story, step| {
            let result = format!("{task}.{step} {}", "x".repeat(LONG));
            story.calls(&[("read", r#"{"path":"a.rs"}"#, &result)])
        });
        story.answer(&format!("done {task}"))
    })
}

fn plan(story: &Story, keep: u64) -> Result<Plan, Cannot> {
    Plan::of(&story.state, &Policy::new().keep(keep), None, CompactionCause::Manual)
}

fn compacts(story: Story, plan: &Plan, summary: &str) -> Story {
    let compacted = plan.compacted(&story.state, summary.to_owned(), Files::default());
    story.compacts(compacted)
}

/// The line of the message that a plan keeps first.
fn first_kept(story: &Story, plan: &Plan) -> String {
    let transcript = &story.state.context().transcript;
    assert_eq!(transcript.entry(plan.at), Some(plan.first_kept));
    line(transcript.messages().get(plan.at).unwrap()).chars().take(26).collect()
}

#[test]
fn s9_5_it_is_due_at_a_share_of_the_window() {
    let policy = Policy::new();
    assert_eq!(policy.most(200_000), 200_000 - 16_384);
    assert!(!policy.is_due(183_616, Some(200_000)) && policy.is_due(183_617, Some(200_000)));
    assert!(!policy.is_due(u64::MAX, None), "the window is not known");
    // A small window is not compacted at each step.
    assert!(!policy.is_due(4_000, Some(8_192)) && policy.is_due(4_097, Some(8_192)));
    assert_eq!((policy.kept(Some(8_192)), policy.kept(Some(200_000))), (2_048, 20_000));
    let share = Policy::new().share(80);
    assert!(share.is_due(80_001, Some(100_000)) && !share.is_due(80_000, Some(100_000)));
    assert_eq!(Policy::new().share(0).share, Some(10));
}

#[test]
fn s9_5_it_cuts_at_a_turn_boundary() {
    let story = tasks(&[4, 4, 4]);
    // A task has about 560 tokens.
    let near = plan(&story, 700).unwrap();
    assert_eq!((first_kept(&story, &near), near.cuts_turn), ("user: task 2".to_owned(), false));
    let more = plan(&story, 1_300).unwrap();
    assert_eq!(first_kept(&story, &more), "user: task 1");
    // A little more than what is to be kept is fine, too.
    let less = plan(&story, 500).unwrap();
    assert_eq!((first_kept(&story, &less), less.also_kept.len()), ("user: task 2".to_owned(), 0));
    assert!(near.tokens_kept > 350 && near.tokens_kept < 700, "{near:?}");
}

#[test]
fn s9_5_a_cut_inside_of_a_turn_keeps_its_task_and_asks_for_how_it_began() {
    let story = tasks(&[1, 20]);
    let plan = plan(&story, 500).unwrap();
    assert!(plan.cuts_turn && first_kept(&story, &plan).starts_with("assistant: read("));
    let task = story.state.context().transcript.entry(4).unwrap();
    assert_eq!(plan.also_kept, [task]);
    let mut memory = Memory::new();
    let shown = story.shown(&Pipeline::new(), &mut memory);
    let last = shown.request(Arc::default());
    let request = plan.request(&memory, &story.state, &last, None).unwrap();
    let ask = request.messages().last().unwrap().text();
    assert!(ask.contains("## Under way"), "{ask}");
    let reads = compacts(story, &plan, "all of it").reads(&Pipeline::new());
    assert!(reads[0].contains("all of it"), "{}", reads[0]);
    assert_eq!(reads[1], "user: task 1");
    assert!(reads[2].starts_with("assistant: read("));
}

#[test]
fn s9_5_the_request_for_the_summary_is_a_prefix_of_the_conversation() {
    let story = tasks(&[4, 4, 4]);
    let mut memory = Memory::new();
    for pipeline in [Pipeline::new(), Pipeline::new().with(SlidingWindow::of_units(99))] {
        let shown = story.shown(&pipeline, &mut memory);
        let mut last =
            shown.request(Arc::new(ModelSettings { model: "a:b".into(), ..Default::default() }));
        last.instructions = "Be brief.".into();
        last.tools = Arc::new(ToolSpecs::new(vec![Arc::new(ToolSpec::new("read", "", json!({})))]));
        let plan = plan(&story, 700).unwrap();
        let request = plan.request(&memory, &story.state, &last, None).unwrap();
        assert_eq!(
            (&request.instructions, &request.settings),
            (&last.instructions, &last.settings)
        );
        assert!(Arc::ptr_eq(&request.tools, &last.tools));
        let prefix = request.messages().len() - 1;
        assert_eq!(prefix, plan.at);
        let same = |(one, two): (&Arc<Message>, &Arc<Message>)| Arc::ptr_eq(one, two);
        assert!(request.messages().iter().take(prefix).zip(last.messages().iter()).all(same));
        let ask = request.messages().last().unwrap();
        assert_eq!(ask.role.as_str(), "user");
        assert!(ask.text().contains("## Next") && !ask.text().contains("## Under way"));
        let focus = plan.with_focus("the parser").request(&memory, &story.state, &last, None);
        assert!(
            focus.unwrap().messages().last().unwrap().text().contains("heeds this: the parser")
        );
    }
}

#[test]
fn s9_5_a_request_that_does_not_fit_loses_its_oldest_messages_or_fails() {
    let story = tasks(&[20, 1]);
    let mut memory = Memory::new();
    let last = story.shown(&Pipeline::new(), &mut memory).request(Arc::default());
    let plan = plan(&story, 300).unwrap();
    let whole = plan.request(&memory, &story.state, &last, None).unwrap();
    let short = plan.request(&memory, &story.state, &last, Some(2_000)).unwrap();
    assert!(short.estimated_tokens() <= 1_500 && short.messages().len() < whole.messages().len());
    assert_eq!(short.messages().get(0).unwrap().text(), "task 0");
    assert_eq!(line(short.messages().get(1).unwrap()), r#"assistant: read({"path":"a.rs"})"#);
    assert_eq!(plan.request(&memory, &story.state, &last, Some(100)).err(), Some(Cannot::TooLong));
}

#[test]
fn s9_5_the_summary_stands_in_place_of_what_came_before_and_the_transcript_keeps_it() {
    let story = tasks(&[4, 4]);
    let pipeline = Pipeline::new();
    let mut memory = Memory::new();
    let before = story.shown(&pipeline, &mut memory).messages.messages().len();
    let plan = plan(&story, 700).unwrap();
    let compacted = Compacted {
        files_read: vec!["a.rs".into()],
        files_changed: vec!["b.rs".into(), "c.rs".into()],
        open_tasks: vec!["write tests".into()],
        ..plan.compacted(&story.state, "The parser works.".to_owned(), Files::default())
    };
    let story = story.compacts(compacted);
    let shown = story.shown(&pipeline, &mut memory);
    let reads = lines(&shown);
    assert_eq!(reads.len(), before - plan.at + 1);
    let expected = "\n\nThe parser works.\n\nFiles that were changed:\n- b.rs\n- c.rs\n\nFiles that were \
                    read:\n- a.rs\n\nTasks that are open:\n- write tests";
    assert!(reads[0].starts_with("user: ") && reads[0].ends_with(expected), "{}", reads[0]);
    assert_eq!(reads[1], "user: task 1");
    assert_eq!(story.state.context().transcript.messages().len(), before);
    assert_eq!(shown.report.kept, Some(0));
    // The next request goes on from there.
    let story = story.user("more");
    assert_eq!(story.shown(&pipeline, &mut memory).report.kept, Some(reads.len()));
}

#[test]
fn s9_5_a_summary_is_brought_up_to_date_by_the_next_one() {
    let story = tasks(&[4, 4]);
    let first = plan(&story, 700).unwrap();
    assert!(!first.updates);
    let former = Compacted {
        files_read: vec!["a.rs".into(), "d.rs".into()],
        files_changed: vec!["b.rs".into()],
        ..first.compacted(&story.state, "first".to_owned(), Files::default())
    };
    let story = story.compacts(former);
    let story = (0..9)
        .fold(story.user("task 2"), |story, _| story.calls(&[("read", "{}", &"y".repeat(LONG))]));
    let second = plan(&story, 700).unwrap();
    assert!(second.updates && second.at > first.at);
    let mut memory = Memory::new();
    let last = story.shown(&Pipeline::new(), &mut memory).request(Arc::default());
    let request = second.request(&memory, &story.state, &last, None).unwrap();
    assert!(request.messages().get(0).unwrap().text().contains("first"));
    let ask = request.messages().last().unwrap().text();
    assert!(ask.contains("begins with a summary of what came even earlier"), "{ask}");
    let compacted = second.compacted(&story.state, "second".to_owned(), Files::default());
    assert_eq!((compacted.files_read.len(), compacted.files_changed.len()), (2, 1));
    let reads = story.compacts(compacted).reads(&Pipeline::new());
    assert!(reads[0].contains("second") && !reads.iter().any(|line| line.contains("first")));
}

#[test]
fn s9_5_what_is_pinned_is_kept_beside_the_summary() {
    let story = Story::new().user("task 0").says(pinned(Message::user("never push")));
    let story = (0..9).fold(story, |story, _| story.calls(&[("read", "{}", &"x".repeat(LONG))]));
    let plan = plan(&story, 500).unwrap();
    let reads = compacts(story, &plan, "so far").reads(&Pipeline::new());
    assert_eq!(reads[1..3], ["user: task 0", "user: never push"]);
}

#[test]
fn s9_5_nothing_is_cut_where_the_latest_messages_fill_what_is_kept() {
    let is_short =
        |story: &Story, keep: u64| matches!(plan(story, keep), Err(Cannot::Short { .. }));
    assert!(is_short(&Story::new(), 700) && is_short(&Story::of("hi"), 700));
    assert_eq!(plan(&Story::of("hello, you"), 1).err(), Some(Cannot::NothingToCut));
    let story = tasks(&[4, 4]);
    assert!(is_short(&story, 9_000));
    // A task that has no answer is not summarised away, whatever a program says behind it.
    let note = legwork_context::app::Note { text: "x".repeat(LONG) };
    let note = legwork_port::AppMessage::to_message(&note).unwrap();
    assert_eq!(plan(&Story::of("hi").adds(note), 1).err(), Some(Cannot::NothingToCut));
    // Nor a second time, right after the first.
    let first = plan(&story, 700).unwrap();
    let story = compacts(story, &first, "so far");
    assert!(is_short(&story, 700));
}

#[test]
fn s9_5_an_overflow_is_answered_by_one_compaction_and_then_by_a_failure() {
    let story = tasks(&[4, 4, 4, 4]);
    let plan = |story: &Story| {
        // No window is known, and more is to be kept than the conversation has.
        Plan::of(&story.state, &Policy::new(), None, CompactionCause::Overflow)
    };
    let first = plan(&story).unwrap();
    assert!(first.tokens_kept <= first.tokens_before / 2, "{first:?}");
    let story = compacts(story, &first, "so far").user("more");
    assert_eq!(plan(&story).err(), Some(Cannot::StillTooLong));
    // By hand it can still be compacted, and after an answer again.
    assert_ne!(super::compaction::plan(&story, 300).err(), Some(Cannot::StillTooLong));
    let story = story.calls(&[("read", "{}", &"x".repeat(LONG))]);
    assert_ne!(plan(&story).err(), Some(Cannot::StillTooLong));
}

#[test]
fn s9_5_a_usage_of_before_does_not_trigger_it_twice() {
    let policy = Policy::new().keep(700);
    let story = tasks(&[4, 4]).user("more").step("", &[("read", "{}", "x")], Some(190_000));
    let (pipeline, mut memory) = (Pipeline::new(), Memory::new());
    let due = |story: &Story, memory: &mut Memory| {
        policy.is_due(story.shown(&pipeline, memory).report.tokens.total(), Some(200_000))
    };
    assert!(due(&story, &mut memory));
    let plan = Plan::of(&story.state, &policy, Some(200_000), CompactionCause::Window).unwrap();
    assert_eq!(plan.tokens_before, story.state.tokens().total());
    let story = compacts(story, &plan, "so far");
    assert!(!due(&story, &mut memory) && !due(&story, &mut Memory::new()));
    assert_eq!(story.state.tokens().measured, 0);
}

#[test]
fn s9_5_an_answer_that_is_no_summary_is_not_used() {
    let plan = plan(&tasks(&[4, 4]), 700).unwrap();
    let says = |text: &str| {
        let parts = vec![legwork_core::Part::text(text)];
        Response::new(Message::assistant(parts), FinishReason::Stop)
    };
    assert_eq!(plan.read(&says(" a summary\n")), Ok("a summary".to_owned()));
    assert_eq!(plan.read(&says(" \n")), Err(Cannot::NoSummary));
    let cut = Response { incomplete: Some(Incomplete::Cut), ..says("half") };
    assert_eq!(plan.read(&cut), Err(Cannot::NoSummary));
    let call = legwork_core::ToolCall::new("c", "read", "{}");
    let parts = vec![legwork_core::Part::text("now"), legwork_core::Part::ToolCall(call.into())];
    let calls = Response::new(Message::assistant(parts), FinishReason::ToolCalls);
    assert_eq!(plan.read(&calls), Err(Cannot::NoSummary));
}

#[test]
fn s9_5_files_read_and_changed_are_listed() {
    let spec =
        |name: &str, effect| ToolSpec::new(name, "", json!({})).effect(effect).resource("path");
    let once = EffectClass::Once(legwork_core::OnDoubt::Ask);
    let specs = vec![spec("read", EffectClass::ReadOnly).into(), spec("write", once).into()];
    let shown = ToolsShown {
        digest: None,
        digests: vec![Digest::of_bytes(b"x"); 2],
        specs,
        instructions: None,
    };
    let (reserved, request) = (Amounts::default(), None);
    let started = InferenceStarted { reserved, tools: Some(shown.into()), request };
    let story = Story::of("hi").with(Event::InferenceStarted(started));
    let call = |tool: &'static str, path: &'static str| (tool, path, "ok");
    let story = story
        .calls(&[
            call("read", r#"{"path":"a"}"#),
            call("read", r#"{"path":"b"}"#),
            call("write", r#"{"path":"w"}"#),
        ])
        .calls(&[call("list", r#"{"path":"l"}"#), call("read", "no json")]);
    let mut metadata = Metadata::default();
    metadata.insert("changes", json!([{"path": "b"}, {"path": "c"}, {"no": "path"}]));
    let changed =
        ToolFinished { metadata, ..ToolFinished::without_running(0, ToolOutcome::text("")) };
    let failed = ToolFinished::without_running(0, ToolOutcome::Retry("no".to_owned()));
    let entries =
        story.with(Event::ToolFinished(changed)).with(Event::ToolFinished(failed)).entries();
    let files = Files::of(entries.iter().map(|entry| &**entry), None);
    let read: Vec<_> = files.read().map(|path| &**path).collect();
    let changed: Vec<_> = files.changed().map(|path| &**path).collect();
    assert_eq!((read, changed), (vec!["a"], vec!["b", "c"]));
}

#[test]
fn s9_5_open_tasks_are_carried_along() {
    let story = tasks(&[4, 4]);
    let list = json!({"tasks": [
        {"title": "look", "state": "done"},
        {"title": "write", "state": "in_progress"},
        {"title": "test"},
    ]});
    let state = story.state.clone().with_metadata("legwork.tasks", Some(list));
    let story = Story { state, ..story };
    let plan = plan(&story, 700).unwrap();
    let compacted = plan.compacted(&story.state, "s".to_owned(), Files::default());
    assert_eq!(compacted.open_tasks, ["write (in progress)".into(), "test".into()]);
}

#[test]
fn s9_5_a_compaction_of_another_path_does_not_hold_here() {
    let story = tasks(&[4, 4]);
    let plan = plan(&story, 700).unwrap();
    let before = story.state.head();
    let (pipeline, mut memory) = (Pipeline::new(), Memory::new());
    let whole = lines(&story.shown(&pipeline, &mut memory));
    let story = compacts(story, &plan, "so far");
    assert!(story.shown(&pipeline, &mut memory).messages.messages().len() < whole.len());
    let story = story.moves(before.0);
    assert_eq!(lines(&story.shown(&pipeline, &mut memory)), whole);
    assert_eq!(story.state.context().compaction, None);
}

#[test]
fn s9_5_a_short_turn_after_a_long_one_is_kept_alone() {
    let long = "x".repeat(9_000);
    let story = Story::new().user(&long).answer("read it").user("and this").answer("done");
    // The first turn is much longer than what is kept, and the second much shorter.
    let plan = plan(&story, 1_000).unwrap();
    assert_eq!((first_kept(&story, &plan), plan.cuts_turn), ("user: and this".to_owned(), false));
}

#[test]
fn s9_5_a_conversation_that_is_kept_as_a_whole_is_not_compacted_on_request() {
    let story = tasks(&[1, 1]);
    let short = plan(&story, 20_000);
    assert!(matches!(short, Err(Cannot::Short { keep: 20_000, .. })), "{short:?}");
    let words = short.unwrap_err().to_string();
    assert!(words.contains("the latest 20000 are kept"), "{words}");
}
