//! A body that continues the last one is the same as one that is written anew, on each wire.

use std::sync::Arc;

use legwork_core::ModelRequest;
use legwork_core::message::{Message, Part, Role, ToolCall, ToolResult};
use legwork_models::answer::Streaming;
use legwork_models::{Api, Builder, HttpModel};

fn model(api: Api) -> HttpModel {
    Builder::new(api, "http://localhost:1", "a-model").build().unwrap()
}

/// A turn with a call and its result; some messages say nothing.
fn turn(number: usize) -> [Message; 3] {
    let id = format!("call-{number}");
    let call = ToolCall::new(&*id, "look", format!("{{\"at\":{number}}}"));
    let result = ToolResult::new(&*id, "look", format!("\"{number}\" é"));
    let said = if number.is_multiple_of(5) { String::new() } else { format!("And {number}?") };
    [
        Message::user(said),
        Message::assistant(vec![Part::ToolCall(call.into())]),
        Message::new(Role::Tool, vec![Part::ToolResult(result)]),
    ]
}

#[test]
fn s9_1_a_body_that_continues_the_last_one_is_as_one_that_is_written_anew() {
    for api in Api::ALL.iter().copied() {
        let kept = model(api);
        let check = |request: &ModelRequest, asked| {
            let body = kept.body(request, asked).unwrap();
            let anew = model(api).body(request, asked).unwrap();
            assert_eq!(body, anew, "{api:?} with {} messages", request.messages().len());
        };
        let mut sessions = [(), ()].map(|()| ModelRequest::blank(Arc::default()));
        for number in 0..60 {
            for (at, session) in sessions.iter_mut().enumerate() {
                for message in turn(number + at) {
                    *session = session.clone().with_message(message);
                    check(session, Streaming::No);
                }
            }
            if number % 9 == 8 {
                let instructions = format!("Be careful, {number}.");
                sessions[0].instructions = instructions.as_str().into();
                check(&sessions[0], Streaming::Yes);
            }
        }
    }
}
