//! S9.2: each transform that ships.

use std::sync::Arc;

use legwork_context::transforms::{
    DropTraces, Redact, RemoveRepeats, RemoveSimilar, SlidingWindow, SummariseResults, ToCompare,
    TokenBudget, TruncateResults, Vectors,
};
use legwork_context::{Memory, Pipeline};
use legwork_core::Mask;
use legwork_port::BoxFuture;
use legwork_port::embedder::{Embedder, Embeddings, Error, Profile, Request};

use crate::story::{Story, lines};

fn talk(turns: usize) -> Story {
    (0..turns).fold(Story::of("the task"), |story, turn| {
        let result = format!("result {turn}");
        story.calls(&[("read", "{}", &result)])
    })
}

/// The results that are read of a conversation.
fn results(story: &Story, pipeline: &Pipeline) -> Vec<String> {
    let reads = story.reads(pipeline);
    reads.into_iter().filter_map(|line| Some(line.strip_prefix("tool: = ")?.to_owned())).collect()
}

#[test]
fn s9_2_a_window_leaves_out_much_at_once_and_then_nothing_for_long() {
    let pipeline = Pipeline::new().with(SlidingWindow::of_units(10).down_to(4));
    let (mut story, mut memory) = (Story::of("the task"), Memory::new());
    let mut sizes = Vec::new();
    let mut kept = Vec::new();
    for turn in 0..20 {
        story = story.calls(&[("read", "{}", &format!("result {turn}"))]);
        let shown = story.shown(&pipeline, &mut memory);
        sizes.push((shown.messages.messages().len() - 1) / 2);
        kept.push(shown.report.kept);
    }
    let grows = [1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 4, 5, 6, 7, 8, 9, 3, 4, 5, 6];
    assert_eq!(sizes, grows, "the task and so many turns");
    // Only where something was left out the prefix changes: after the task, and a call like the
    // one that was there.
    let changed: Vec<_> = (0..20).filter(|turn| kept[*turn] == Some(2)).collect();
    assert_eq!(changed, [9, 16]);
    assert_eq!(kept[10], Some(7));
}

#[test]
fn s9_2_a_window_keeps_the_first_task_and_the_last_one() {
    let story = Story::of("first").calls(&[("a", "{}", "1")]).answer("done").user("second");
    let story = (0..9).fold(story, |story, _| story.calls(&[("a", "{}", "2")]));
    let story = story.user("on the way");
    let story = (0..9).fold(story, |story, _| story.calls(&[("a", "{}", "3")]));
    let reads = story.reads(&Pipeline::new().with(SlidingWindow::of_units(3).down_to(1)));
    let users: Vec<_> = reads.iter().filter(|line| line.starts_with("user")).collect();
    assert_eq!(users, ["user: first", "user: second", "user: on the way"]);
    assert_eq!(reads.last().unwrap(), "tool: = 3");
}

#[test]
fn s9_2_a_window_of_messages_counts_results() {
    let story = talk(20);
    let reads = story.reads(&Pipeline::new().with(SlidingWindow::of_messages(10).down_to(10)));
    assert_eq!(reads.len(), 9, "the task, and four turns of two messages");
    assert_eq!(reads[1..3], ["assistant: read({})", "tool: = result 16"]);
}

#[test]
fn s9_2_a_token_budget_leaves_out_the_oldest() {
    let long = "x".repeat(300);
    let story =
        (0..9).fold(Story::of("the task"), |story, _| story.calls(&[("read", "{}", &long)]));
    let pipeline = Pipeline::new().with(TokenBudget::of(600).down_to(300));
    let shown = story.shown(&pipeline, &mut Memory::new());
    assert!(shown.report.tokens.total() <= 600, "{:?}", shown.report.tokens);
    assert_eq!(lines(&shown)[0], "user: the task");
    assert!(lines(&shown).len() < 10);
    let all = story.reads(&Pipeline::new().with(TokenBudget::of(600_000)));
    assert_eq!(all.len(), 19);
}

#[test]
fn s9_2_long_results_keep_their_head_and_their_tail() {
    let long: String = (0..100).map(|n| format!("line {n}\n")).collect();
    let story = Story::of("go").calls(&[("read", "{}", &long), ("read", "{}", "short")]);
    let read = results(&story, &Pipeline::new().with(TruncateResults::new().lines(6)));
    let shown = "line 0\nline 1\nline 2\nline 3\n[746 bytes in 94 lines are left out here]\n\
                 line 98\nline 99\n";
    assert_eq!(read, [shown, "short"]);
    let bytes = results(&story, &Pipeline::new().with(TruncateResults::new().bytes(30)));
    assert!(bytes[0].starts_with("line 0\nline 1\nline 2"), "{}", bytes[0]);
    assert!(bytes[0].ends_with("\n line 99\n") || bytes[0].ends_with("line 99\n"), "{}", bytes[0]);
    // Characters are not cut.
    let wide = Story::of("go").calls(&[("read", "{}", &"é漢🧵".repeat(30))]);
    for limit in 1..60 {
        let read = results(&wide, &Pipeline::new().with(TruncateResults::new().bytes(limit)));
        assert!(read[0].contains("are left out here"));
    }
}

#[test]
fn s9_2_old_calls_go_with_their_results_and_what_was_said_stays() {
    let story = Story::of("go")
        .step("I look.", &[("read", "{}", "1")], None)
        .calls(&[("read", "{}", "2"), ("list", "{}", "3")])
        .calls(&[("read", "{}", "4")])
        .calls(&[("read", "{}", "5")]);
    let reads = story.reads(&Pipeline::new().with(DropTraces::keep(3).down_to(2)));
    let expected = [
        "user: go",
        "assistant: I look.",
        "assistant: read({})",
        "tool: = 4",
        "assistant: read({})",
        "tool: = 5",
    ];
    assert_eq!(reads, expected);
}

#[test]
fn s9_2_a_result_that_says_the_same_again_refers_to_the_earlier_one() {
    let text: String = (0..40).map(|n| format!("line {n}\n")).collect();
    let other = text.replace("line 7\n", "line seven\n");
    let story = Story::of("go")
        .calls(&[("read", r#"{"path":"a"}"#, &text)])
        .calls(&[("bash", r#"{"command":"cat a"}"#, &text.replace('\n', "  \n"))])
        .calls(&[("read", r#"{"path":"a"}"#, &other)])
        .calls(&[("read", r#"{"path":"b"}"#, &text.replace("line", "row"))]);
    let read = results(&story, &Pipeline::new().with(RemoveRepeats::new().above(100)));
    assert_eq!(read[0], text);
    assert_eq!(read[1], r#"[the same as the result of `read {"path":"a"}` above]"#);
    assert!(read[2].ends_with("- line 7\n+ line seven\n"), "{}", read[2]);
    assert_eq!(read[3], text.replace("line", "row"));
}

#[test]
fn s9_2_nothing_refers_to_a_result_that_was_left_out() {
    let text = "the same long result ".repeat(10);
    let story = Story::of("go").calls(&[("read", "{}", &text)]);
    let story = (0..4).fold(story, |story, n| story.calls(&[("list", "{}", &format!("{n}"))]));
    let story = story.calls(&[("read", "{}", &text)]);
    let repeats = Pipeline::new().with(RemoveRepeats::new().above(100));
    assert!(results(&story, &repeats).last().unwrap().starts_with("[the same as"));
    let window = repeats.with(SlidingWindow::of_units(4));
    assert_eq!(*results(&story, &window).last().unwrap(), text);
}

#[test]
fn s9_2_what_is_redacted_is_redacted_everywhere() {
    let key = "sk-canary-0123456789";
    let said = format!("the key is {key}");
    let arguments = format!(r#"{{"key":"{key}"}}"#);
    let story = Story::of(&said).step(&said, &[("use", &arguments, &said)], None);
    let reads = story.reads(&Pipeline::new().with(Redact::by_mask(Mask::of([key]))));
    assert!(
        reads.iter().all(|line| !line.contains("canary") && line.contains("[redacted]")),
        "{reads:?}"
    );
    assert!(story.reads(&Pipeline::new())[0].contains(key), "the transcript keeps it");
}

#[test]
fn s9_3_a_summary_of_a_result_is_read_from_its_entry_on() {
    let long = "much to read ".repeat(20);
    let story = Story::of("go").calls(&[("read", r#"{"path":"a"}"#, &long), ("list", "{}", "b")]);
    let summaries = SummariseResults::above(100);
    let owed = summaries.owed(&story.state, 0);
    assert_eq!(owed.len(), 1);
    assert_eq!((owed[0].key, &*owed[0].call), (story.results()[0], r#"`read {"path":"a"}`"#));
    let request = owed[0].request(Arc::default());
    let asked = request.messages().get(0).unwrap().text();
    assert!(asked.contains(&long) && request.tools.is_empty());

    let pipeline = Pipeline::new().with(summaries);
    let mut memory = Memory::new();
    let before = lines(&story.shown(&pipeline, &mut memory));
    assert_eq!(before[2], format!("tool: = {long}"));
    let event = owed[0].summarised("little");
    let story = story.summarises(event.result, &event.summary);
    let shown = story.shown(&pipeline, &mut memory);
    assert_eq!(lines(&shown)[2], "tool: = [a summary of the result, which was longer]\nlittle");
    assert_eq!((shown.report.kept, lines(&shown)[3].clone()), (Some(2), before[3].clone()));
    assert!(summaries.owed(&story.state, 0).is_empty());
    // Each is owed once: what was there at the request before is not looked at again.
    let len = story.state.context().transcript.messages().len();
    let story = story.calls(&[("read", "{}", &long)]);
    assert_eq!(summaries.owed(&story.state, len).len(), 1);
    let len = story.state.context().transcript.messages().len();
    assert!(summaries.owed(&story.state, len).is_empty());
}

#[test]
fn s9_3_summaries_that_come_late_are_read_however_many_come_at_once() {
    let long = "much to read ".repeat(20);
    let read = ("read", "{}", long.as_str());
    let story = Story::of("go").calls(&[read]).calls(&[read, read, read]);
    let pipeline = Pipeline::new().with(SummariseResults::above(100));
    for count in 1..=4 {
        let mut memory = Memory::new();
        story.shown(&pipeline, &mut memory);
        let results = story.results();
        let summarised = results
            .iter()
            .take(count)
            .fold(story.clone(), |story, result| story.summarises(*result, "little"));
        let shown = lines(&summarised.shown(&pipeline, &mut memory));
        assert_eq!(shown, lines(&summarised.shown(&pipeline, &mut Memory::new())));
        assert_eq!(shown.concat().matches("little").count(), count);
    }
}

#[test]
fn s9_3_a_summary_of_a_path_that_was_left_is_not_read() {
    let long = "much to read ".repeat(20);
    let story = Story::of("go").calls(&[("read", r#"{"path":"a"}"#, &long)]).answer("Done.");
    // Its last message is one of the journal's, however often that is folded.
    let story = story.user("go on").reloads();
    let before = story.entries().last().unwrap().seq.0;
    let pipeline = Pipeline::new().with(SummariseResults::above(100));
    let mut memory = Memory::new();
    let result = story.results()[0];
    let summarised = story.clone().summarises(result, "little");
    assert!(lines(&summarised.shown(&pipeline, &mut memory))[2].ends_with("little"));
    // The same transcript, without the summary.
    let left = summarised.moves(before);
    assert_eq!(lines(&left.shown(&pipeline, &mut memory))[2], format!("tool: = {long}"));
    let other = left.summarises(result, "another");
    assert!(lines(&other.shown(&pipeline, &mut memory))[2].ends_with("another"));
}

/// Vectors by the first letter of a text.
struct Letters(Profile);

impl Embedder for Letters {
    fn name(&self) -> &str {
        "test:letters"
    }

    fn profile(&self) -> &Profile {
        &self.0
    }

    fn embed(&self, request: Request) -> BoxFuture<'_, Result<Embeddings, Error>> {
        let vectors = request.texts.iter().map(|text| match text.as_bytes()[0] {
            b'a' => vec![1.0, 0.0],
            _ => vec![0.0, 1.0],
        });
        let vectors = vectors.collect();
        Box::pin(async { Ok(Embeddings::new(vectors)) })
    }
}

/// The value of a future that waits for nothing.
fn now<T>(future: impl Future<Output = T>) -> T {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("it waits"),
    }
}

#[test]
fn s9_3_results_that_mean_the_same_are_found_by_an_embedder_and_read_from_an_entry() {
    let story = Story::of("go").calls(&[("read", r#"{"path":"a"}"#, "a long text")]);
    let story =
        story.calls(&[("read", r#"{"path":"b"}"#, "another long text"), ("read", "{}", "b text")]);
    let similar = RemoveSimilar::above(3);
    let owed = similar.owed(&story.state, 0);
    let keys: Vec<_> = owed.iter().map(|one: &ToCompare| one.key).collect();
    assert_eq!(keys, story.results());
    let mut vectors = Vectors::default();
    let compared = now(vectors.compare(&Letters(Profile::default()), &owed, 0.9)).unwrap();
    let repeats: Vec<_> = compared.iter().map(|one| one.repeats).collect();
    assert_eq!(repeats, [None, Some(keys[0]), None]);

    let pipeline = Pipeline::new().with(similar);
    let mut memory = Memory::new();
    story.shown(&pipeline, &mut memory);
    let told = compared.iter().fold(story, |story, one| story.compares(one.result, one.repeats));
    let read = lines(&told.shown(&pipeline, &mut memory));
    assert_eq!(read[4], r#"tool: = [says the same as the result of `read {"path":"a"}` above]"#);
    assert_eq!((&*read[2], &*read[5]), ("tool: = a long text", "tool: = b text"));
    assert!(similar.owed(&told.state, 0).is_empty());
    // What it refers to was left out: then it is read itself.
    let window = pipeline.with(SlidingWindow::of_units(2).down_to(1));
    assert!(told.reads(&window).iter().any(|line| line == "tool: = another long text"));
}
