//! S9.5: how many tokens a request has.

use legwork_context::transforms::SlidingWindow;
use legwork_context::{Memory, Pipeline};

use crate::story::Story;

/// A pipeline that transforms nothing, but not the transcript as it is.
fn wide() -> Pipeline {
    Pipeline::new().with(SlidingWindow::of_units(1_000))
}

#[test]
fn s9_5_tokens_are_those_that_the_provider_counted_and_an_estimate_of_the_rest() {
    let (story, mut memory) = (Story::of("hi"), Memory::new());
    let shown = story.shown(&wide(), &mut memory);
    assert_eq!((shown.report.tokens.measured, shown.report.tokens.estimated), (0, 6));
    let story = story.step("", &[("read", "{}", &"x".repeat(300))], Some(500));
    let result = story.state.context().transcript.messages().last().unwrap().weight();
    for pipeline in [wide(), Pipeline::new()] {
        let shown = story.shown(&pipeline, &mut Memory::new());
        let tokens = shown.report.tokens;
        assert_eq!((tokens.measured, tokens.estimated), (507, result.div_ceil(3)));
    }
}

#[test]
fn s9_5_what_was_counted_of_other_messages_is_not_used() {
    let pipeline = Pipeline::new().with(SlidingWindow::of_units(3).down_to(2));
    let (mut story, mut memory) = (Story::of("hi"), Memory::new());
    let mut measured = Vec::new();
    for turn in 1..7 {
        let input = 1_000 * turn;
        story = story.step("", &[("read", "{}", "x")], Some(input));
        let grown = story.shown(&pipeline, &mut memory).report.tokens;
        measured.push(grown.measured);
        // Another process, which did not see the requests of before, says the same.
        let anew = story.shown(&pipeline, &mut Memory::new()).report.tokens;
        assert_eq!(anew, grown, "turn {turn}");
    }
    // At the third turn the window dropped some: what was counted was of more messages.
    assert_eq!(measured, [1_007, 2_007, 0, 4_007, 0, 6_007]);
}
