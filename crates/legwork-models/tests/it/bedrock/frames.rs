//! Frames, as they come and as they should not.

use std::ops::ControlFlow;

use legwork_core::inference::Incomplete;
use legwork_models::answer::{Ended, Reply, Streaming, Unreadable};
use legwork_models::{Api, Bounds};
use legwork_port::Delta;
use serde_json::json;

use crate::wires::bedrock::{FRAMES, event};

/// The first events of an answer.
pub(super) fn begun() -> Vec<u8> {
    let said = json!({"contentBlockIndex": 0, "delta": {"text": "Hello"}, "p": "abc"});
    let start = event("messageStart", &json!({"role": "assistant", "p": "abcd"}));
    [start, event("contentBlockDelta", &said)].concat()
}

/// The last events of an answer.
pub(super) fn ended() -> Vec<u8> {
    let usage = json!({"inputTokens": 3, "outputTokens": 2, "totalTokens": 5});
    let stop = event("messageStop", &json!({"stopReason": "end_turn"}));
    [stop, event("metadata", &json!({"usage": usage, "metrics": {"latencyMs": 7}}))].concat()
}

fn reply(bounds: Bounds) -> Reply {
    Reply::within(bounds, Api::Converse, 200, Some(FRAMES), Streaming::Yes)
}

fn push(reply: &mut Reply, bytes: &[u8]) {
    reply.push(bytes, &mut |_: Delta<'_>| ControlFlow::Continue(()));
}

#[test]
fn an_answer_without_a_type_is_read_as_it_was_asked_for() {
    for content_type in [None, Some("application/octet-stream")] {
        let mut reply = Reply::new(Api::Converse, 200, content_type, Streaming::Yes);
        push(&mut reply, &[begun(), ended()].concat());
        assert!(reply.is_done());
        assert_eq!(reply.finish(Ended::Whole).unwrap().text(), "Hello");
    }
}

#[test]
fn s11_3_a_broken_checksum_ends_the_answer_there() {
    let mut broken = ended();
    let last = broken.len() - 1;
    broken[last] ^= 1;
    let mut reply = reply(Bounds::default());
    push(&mut reply, &begun());
    let half = broken.len() - 200;
    push(&mut reply, &broken[..half]);
    assert!(!reply.is_over());
    let mut early = begun();
    early[20] ^= 1;
    let mut other = self::reply(Bounds::default());
    push(&mut other, &[early, ended()].concat());
    assert!(other.is_over() && !other.has_content());
    assert_eq!(other.finish(Ended::Whole), Err(Unreadable::Nothing));
    // After its beginning.
    let mut stop = event("messageStop", &json!({"stopReason": "end_turn"}));
    stop[30] ^= 1;
    let mut cut = self::reply(Bounds::default());
    push(&mut cut, &[begun(), stop].concat());
    assert!(cut.is_over());
    let response = cut.finish(Ended::Whole).unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hello", Some(Incomplete::Cut)));
}

#[test]
fn a_frame_that_claims_to_be_huge_is_held_up_to_the_bound() {
    let bounds = Bounds { event_bytes: 10_000, ..Bounds::default() };
    let mut reply = reply(bounds);
    push(&mut reply, &begun());
    push(&mut reply, &[0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
    let mut pushed = 0;
    while !reply.is_over() {
        push(&mut reply, &[b' '; 1_000]);
        pushed += 1_000;
        assert!(pushed <= 11_000);
    }
    let response = reply.finish(Ended::Whole).unwrap();
    assert_eq!(response.incomplete, Some(Incomplete::OverBound));
    assert!(response.bound.unwrap().contains("`event_bytes`"));
}

#[test]
fn frames_are_counted_and_measured() {
    let few = Bounds { events: 10, ..Bounds::default() };
    let small = Bounds { event_bytes: 500, ..Bounds::default() };
    let large = json!({"contentBlockIndex": 0, "delta": {"text": "x".repeat(600)}});
    let much = event("contentBlockDelta", &json!({"contentBlockIndex": 0, "delta": {"text": "x"}}));
    for (bounds, bytes, name) in [
        (few, much.repeat(20), "`events`"),
        (small, event("contentBlockDelta", &large), "`event_bytes`"),
    ] {
        let mut reply = reply(bounds);
        push(&mut reply, &[begun(), bytes, ended()].concat());
        let response = reply.finish(Ended::Whole).unwrap();
        assert_eq!(response.incomplete, Some(Incomplete::OverBound));
        assert!(response.bound.unwrap().contains(name));
    }
}
