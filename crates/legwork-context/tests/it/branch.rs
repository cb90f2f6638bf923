//! S8.1: the summary of a path that is left.

use std::sync::Arc;

use legwork_context::branch::Leaving;
use legwork_context::compaction::Cannot;
use legwork_context::{Memory, Pipeline};
use legwork_core::{Event, FinishReason, Message, Part, Response};

use crate::story::{Story, lines};

#[test]
fn s8_1_a_path_that_is_left_is_summarised_at_the_beginning_of_the_new_one() {
    let story = Story::of("build it").answer("how?");
    let common = story.state.head();
    let left =
        story.clone().user("with regexes\nplease").calls(&[("write", "{}", "ok")]).answer("no");
    let (pipeline, mut memory) = (Pipeline::new(), Memory::new());
    let last = left.shown(&pipeline, &mut memory).request(Arc::default());
    let leaving = Leaving::of(&left.state, common).unwrap();
    assert_eq!((leaving.messages, leaving.from), (4, left.state.head()));
    let request = leaving.request(&memory, &left.state, &last, None).unwrap();
    // A prefix of what was sent, and the question.
    assert_eq!(request.messages().len(), last.messages().len() + 1);
    let same = |(one, two): (&Arc<Message>, &Arc<Message>)| Arc::ptr_eq(one, two);
    assert!(request.messages().iter().zip(last.messages().iter()).all(same));
    let ask = request.messages().last().unwrap().text();
    assert!(ask.contains(r#"begins with "with regexes" on"#), "{ask}");

    let parts = vec![Part::text("Regexes do not nest.")];
    let answer = Response::new(Message::assistant(parts), FinishReason::Stop);
    let event = leaving.summarised(&answer).unwrap();
    let new = left.moves(common.0).with(Event::BranchSummarised(event)).user("with a parser");
    let reads = lines(&new.shown(&pipeline, &mut memory));
    assert_eq!((reads.len(), &*reads[0], &*reads[1]), (4, "user: build it", "assistant: how?"));
    assert!(reads[2].ends_with("\n\nRegexes do not nest."), "{}", reads[2]);
    assert_eq!(reads[3], "user: with a parser");
}

#[test]
fn s8_1_where_nothing_is_left_there_is_nothing_to_summarise() {
    let story = Story::of("build it").answer("how?");
    assert_eq!(Leaving::of(&story.state, story.state.head()).err(), Some(Cannot::NothingToCut));
    let empty = Response::new(Message::assistant(Vec::new()), FinishReason::Stop);
    let leaving = Leaving::of(&story.state, legwork_core::Seq(0)).unwrap();
    assert_eq!(leaving.summarised(&empty).err(), Some(Cannot::NoSummary));
}
