//! D14: the digest of a request as it was sent.

use std::sync::Arc;

use legwork_context::transforms::SlidingWindow;
use legwork_context::{Memory, Pipeline, digest};
use legwork_core::message::Author;
use legwork_core::{Message, ModelRequest, ModelSettings};
use serde_json::json;

use crate::story::Story;

fn request(story: &Story) -> ModelRequest {
    let shown = story.shown(&Pipeline::new(), &mut Memory::new());
    let mut request = shown.request(Arc::new(ModelSettings::default()));
    request.instructions = "Be brief.".into();
    request
}

#[test]
fn s9_1_the_same_messages_have_the_same_digest_and_any_change_has_another() {
    let story = Story::of("hi").calls(&[("read", "{}", "x")]);
    let one = request(&story);
    assert_eq!(digest(&one), digest(&request(&story.clone().reloads())));
    // Metadata is not sent.
    let with_metadata = Message::user("hi").with_metadata("ticket", json!(7));
    assert_eq!(
        digest(&request(&Story::new().says(with_metadata))),
        digest(&request(&Story::of("hi")))
    );

    let mut others = vec![
        request(&Story::of("ho").calls(&[("read", "{}", "x")])),
        request(&Story::of("hi").calls(&[("read", "{}", "y")])),
        request(&Story::of("hi").calls(&[("read", "{ }", "x")])),
        request(&Story::of("hi").calls(&[("list", "{}", "x")])),
        request(&story.clone().user("more")),
        request(&Story::of("hi")),
        request(
            &Story::new()
                .says(Message::user("hi").by(Author::Person("Ann".into())))
                .calls(&[("read", "{}", "x")]),
        ),
        one.clone().with_message(Message::user("reminder")),
    ];
    let mut changed = |change: fn(&mut ModelRequest)| {
        let mut other = one.clone();
        change(&mut other);
        others.push(other);
    };
    changed(|request| request.instructions = "Be verbose.".into());
    changed(|request| request.max_output = Some(7));
    changed(|request| request.response_format = Some(Arc::new(json!({}))));
    changed(|request| request.tool_choice = legwork_core::inference::ToolChoice::Required);
    changed(|request| {
        request.settings = Arc::new(ModelSettings { seed: Some(1), ..ModelSettings::default() });
    });
    let spec = legwork_core::ToolSpec::new("read", "", json!({}));
    let mut tools = one.clone();
    tools.tools = Arc::new(legwork_core::tool::ToolSpecs::new(vec![Arc::new(spec)]));
    others.push(tools);
    let mut digests: Vec<_> = others.iter().chain([&one]).map(digest).collect();
    let count = digests.len();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), count, "two different requests have one digest");
}

#[test]
fn s9_1_a_request_says_how_much_of_it_is_that_of_before() {
    let pipeline = Pipeline::new().with(SlidingWindow::of_units(4).down_to(2));
    let (mut story, mut memory) = (Story::of("hi"), Memory::new());
    let mut told = Vec::new();
    for turn in 0..6 {
        let shown = story.shown(&pipeline, &mut memory);
        // A reminder at the end is part of what is sent, and gone in the next request.
        let request = shown.request(Arc::default()).with_message(Message::user("remember"));
        let sent = shown.sent(&request);
        assert_eq!(sent.digest, digest(&request));
        told.push((sent.messages, sent.kept));
        story = story.calls(&[("read", "{}", &format!("{turn}"))]);
    }
    // Of the fifth, the task and a call like the one of before: nothing behind these.
    let expected =
        [(2, None), (4, Some(1)), (6, Some(3)), (8, Some(5)), (4, Some(2)), (6, Some(3))];
    assert_eq!(told, expected);
}

#[test]
fn s9_1_a_request_that_is_not_of_these_messages_has_its_own_digest() {
    let pipeline = Pipeline::new();
    let shown = Story::of("hi").shown(&pipeline, &mut Memory::new());
    let other = request(&Story::of("something else"));
    assert_eq!(shown.sent(&other).digest, digest(&other));
    assert_eq!(shown.sent(&other).kept, None);
}
