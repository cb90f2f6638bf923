//! S9.1: from the transcript to the messages that a model reads, and what is kept in between.

use std::sync::Arc;

use legwork_context::transforms::{DropTraces, SlidingWindow, TruncateResults, each, whole};
use legwork_context::{Memory, NotSettled, PINNED, Pipeline, View, pinned};
use legwork_core::budget::Amounts;
use legwork_core::event::{InferenceStarted, Responded};
use legwork_core::{Event, FinishReason, Message, Part, Response, ToolCall};
use legwork_port::Profile;
use serde_json::json;

use crate::story::{Story, lines};

fn talk(turns: usize) -> Story {
    let story = Story::of("the task");
    (0..turns).fold(story, |story, turn| {
        let result = format!("result {turn}");
        story.calls(&[("read", "{}", &result)])
    })
}

#[test]
fn s9_1_a_transcript_that_nothing_transforms_is_sent_as_it_is() {
    let story = talk(5);
    let mut memory = Memory::new();
    let shown = story.shown(&Pipeline::new(), &mut memory);
    let transcript = story.state.context().transcript.messages();
    let same = |(one, other): (&Arc<Message>, &Arc<Message>)| Arc::ptr_eq(one, other);
    assert!(shown.messages.messages().iter().zip(transcript.iter()).all(same));
    let tails = [shown.messages.messages(), transcript].map(|all| all.to_shared());
    assert!(Arc::ptr_eq(&tails[0], &tails[1]), "the chunks are shared, not copied");
    assert_eq!(shown.report.visited, 11);
    let story = story.calls(&[("read", "{}", "more")]);
    let shown = story.shown(&Pipeline::new(), &mut memory);
    // Another pipeline begins anew, and finds that nothing is another one.
    assert_eq!((shown.report.visited, shown.report.kept), (11 + 2, Some(11)));
}

#[test]
fn s9_1_the_same_pipeline_goes_on_where_it_was() {
    let pipeline = Pipeline::new();
    let (story, mut memory) = (talk(5), Memory::new());
    story.shown(&pipeline, &mut memory);
    let shown = story.calls(&[("read", "{}", "more")]).shown(&pipeline, &mut memory);
    assert_eq!((shown.report.visited, shown.report.kept), (2, Some(11)));
}

#[test]
fn s9_1_no_request_is_made_of_open_calls() {
    let call = Part::ToolCall(Arc::new(ToolCall::new("c", "read", "{}")));
    let response = Response::new(Message::assistant(vec![call]), FinishReason::ToolCalls);
    let (response, charged) = (Arc::new(response), Amounts::default());
    let started = InferenceStarted { reserved: charged, tools: None, request: None };
    let story = Story::of("hi").with(Event::InferenceStarted(started));
    let story = story.with(Event::Responded(Responded { response, charged }));
    let refused = Pipeline::new().to_model(&mut Memory::new(), &story.state, &Profile::new());
    assert_eq!(refused.err(), Some(NotSettled));
}

#[test]
fn s9_2_transforms_run_in_the_order_of_their_priority() {
    let name = |letter: &'static str, priority| {
        each(letter, priority, move |unit, _| {
            unit.map_texts(&|text| Some(format!("{text}{letter}")))
        })
    };
    let pipeline = Pipeline::new().with(name("c", 9)).with(name("a", 1)).with(name("b", 5));
    let pipeline = pipeline.with(name("d", 9));
    let story = Story::of("task").answer("ok");
    assert_eq!(story.reads(&pipeline), ["user: task", "assistant: okabcd"]);
    let names: Vec<_> = pipeline.transforms().iter().map(|one| one.name().to_owned()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
}

#[test]
fn s9_2_no_transform_can_leave_out_or_shorten_what_is_held() {
    let all = |view: &mut View, _: &legwork_context::Cx<'_>| {
        for index in 0..view.len() {
            let unit = view.get(index).unwrap().clone();
            let empty = unit.with_results(|_, _| Some(Vec::new()));
            if let Some(empty) = empty.or_else(|| unit.without_calls()) {
                view.shorten(index, empty);
            }
        }
        view.remove(0..view.len());
        view.remove_oldest(usize::MAX, |_| true);
    };
    let story = Story::of("first").calls(&[("read", "{}", "x")]).answer("done");
    let story = story.says(pinned(Message::user("pinned"))).calls(&[("read", "{}", "y")]);
    let pin = story.results()[1].entry;
    let state = story.state.clone().with_metadata(PINNED, Some(json!([pin])));
    let story = Story { state, ..story };
    let reads = story.reads(&Pipeline::new().with(whole("all", 1, all)));
    assert_eq!(reads, ["user: first", "user: pinned", "assistant: read({})", "tool: = y"]);
}

#[test]
fn s9_2_pins_of_the_conversation_may_change() {
    let pipeline = Pipeline::new().with(SlidingWindow::of_units(2).down_to(1));
    let (story, mut memory) = (talk(6), Memory::new());
    let early = story.results()[1].entry;
    let is_there = |reads: &[String]| reads.iter().any(|line| line == "tool: = result 1");
    assert!(!is_there(&lines(&story.shown(&pipeline, &mut memory))));
    let pins = |story: Story, list| {
        let state = story.state.clone().with_metadata(PINNED, list);
        Story { state, ..story }
    };
    let story = pins(story, Some(json!([early])));
    assert!(is_there(&lines(&story.shown(&pipeline, &mut memory))));
    let story = pins(story, None);
    assert!(!is_there(&lines(&story.shown(&pipeline, &mut memory))));
}

#[test]
fn s9_1_another_path_and_another_process_begin_anew() {
    let pipeline = Pipeline::new().with(TruncateResults::new().bytes(3));
    let (story, mut memory) = (talk(3), Memory::new());
    story.shown(&pipeline, &mut memory);
    let turn = story.results()[1].entry;
    let moved = story.clone().moves(turn.0 - 2).user("otherwise").calls(&[("read", "{}", "other")]);
    let shown = moved.shown(&pipeline, &mut memory);
    assert!(lines(&shown).iter().any(|line| line == "user: otherwise"));
    assert_eq!(shown.report.kept, Some(3));
    let reloaded = moved.reloads();
    let again = reloaded.shown(&pipeline, &mut memory);
    assert_eq!((lines(&again), again.report.kept), (lines(&shown), Some(6)));
}

#[test]
fn s9_1_a_state_of_which_a_change_was_refused_is_read_as_it_is() {
    let pipeline = Pipeline::new().with(DropTraces::keep(50));
    let (story, mut memory) = (talk(3), Memory::new());
    // What was read never became durable: the state of before goes on another way.
    story.clone().user("never committed").shown(&pipeline, &mut memory);
    let other = story.user("in its place").calls(&[("read", "{}", "x")]);
    let anew = lines(&other.shown(&pipeline, &mut Memory::new()));
    assert_eq!(lines(&other.shown(&pipeline, &mut memory)), anew);
    assert!(!anew.iter().any(|line| line.contains("never")));
    // Without transforms, too.
    let (plain, mut memory) = (Pipeline::new(), Memory::new());
    let base = talk(2);
    base.clone().user("never committed").shown(&plain, &mut memory);
    let other = base.user("in its place");
    assert_eq!(other.shown(&plain, &mut memory).report.kept, Some(5));
}

#[test]
fn s9_1_the_same_last_message_does_not_make_it_the_same_conversation() {
    let last = Arc::new(Message::user("the same, at the same entry"));
    for pipeline in [Pipeline::new(), Pipeline::new().with(DropTraces::keep(50))] {
        let (story, mut memory) = (talk(2), Memory::new());
        let with = |text| story.clone().user(text).with(Event::MessageAdded(Arc::clone(&last)));
        with("never committed").shown(&pipeline, &mut memory);
        let shown = with("in its place").shown(&pipeline, &mut memory);
        assert_eq!(lines(&shown)[5], "user: in its place");
        assert_eq!(shown.report.kept, Some(5));
    }
}

#[test]
fn s9_1_what_changes_in_the_step_under_way_is_read_again() {
    for pipeline in [Pipeline::new(), Pipeline::new().with(DropTraces::keep(50))] {
        let mut memory = Memory::new();
        let parts = vec![Part::text("first words")];
        let response = Response::new(Message::assistant(parts), FinishReason::Stop);
        let (response, charged) = (Arc::new(response), Amounts::default());
        let started = InferenceStarted { reserved: charged, tools: None, request: None };
        let story = talk(2).with(Event::InferenceStarted(started));
        let story = story.with(Event::Responded(Responded { response, charged }));
        let story = story.adds(Message::user("and a message behind it"));
        story.shown(&pipeline, &mut memory);
        let parts = vec![Part::text("other words")];
        let other = Response::new(Message::assistant(parts), FinishReason::Stop);
        let story = Story { state: story.state.clone().with_response(other), ..story };
        let reads = lines(&story.shown(&pipeline, &mut memory));
        assert_eq!(reads[5..], ["assistant: other words", "user: and a message behind it"]);
    }
}

/// It is kept beside a run, whose future moves between threads.
#[test]
fn s9_1_what_is_kept_goes_along_with_a_run() {
    fn goes_along<T: Send>() {}
    fn is_shared<T: Send + Sync>() {}
    goes_along::<Memory>();
    is_shared::<Pipeline>();
}

#[test]
fn s9_1_another_pipeline_does_not_take_over_what_one_kept() {
    let (story, mut memory) = (talk(4), Memory::new());
    story.shown(&Pipeline::new().with(SlidingWindow::of_units(2)), &mut memory);
    let whole = story.shown(&Pipeline::new().with(SlidingWindow::of_units(99)), &mut memory);
    assert_eq!(whole.messages.messages().len(), 9);
}
