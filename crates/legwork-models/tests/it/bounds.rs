//! Answers that never end, or that are larger than any: each is cut at a bound, which is reported.

use std::ops::ControlFlow;

use legwork_core::inference::Incomplete;
use legwork_core::{Part, Response};
use legwork_models::answer::{Ended, Reply, Streaming, Unreadable};
use legwork_models::{Api, Bounds};
use legwork_port::{Delta, Model};
use proptest::prelude::*;
use serde_json::json;

use crate::answers::{delta, events};
use crate::clock::Turned;
use crate::server::{Act, Server, answer, chunk, open_stream};
use crate::traffic::{model_at, question};

/// Small bounds, so that each is passed soon.
fn small() -> Bounds {
    Bounds {
        received_bytes: 40_000,
        answer_bytes: 10_000,
        event_bytes: 4_000,
        events: 300,
        calls: 8,
        values: 200,
        nesting: 20,
        tokens: 1_000,
    }
}

fn ignore(_: Delta<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// What comes of events that are sent again and again, until the reader wants no more.
fn endless(bounds: Bounds, mut event: impl FnMut(usize) -> String) -> Response {
    let mut reply =
        Reply::within(bounds, Api::ChatCompletions, 200, Some("text/event-stream"), Streaming::Yes);
    let mut number = 0;
    while !reply.is_over() {
        reply.push(event(number).as_bytes(), &mut ignore);
        number += 1;
        assert!(number < 100_000, "it never ends");
    }
    reply.finish(Ended::Whole).unwrap()
}

/// It was cut at this bound, and no more than its beginning is kept.
fn check(response: &Response, bound: &str) {
    assert_eq!(response.incomplete, Some(Incomplete::OverBound));
    let shown = response.bound.as_deref().unwrap();
    assert!(shown.contains(bound), "{shown}");
    let journaled = serde_json::to_string(response).unwrap().len();
    assert!(journaled < 1 << 20, "{journaled} bytes");
}

fn said(text: &str) -> String {
    events(&[delta(json!({"content": text}))])
}

fn called(index: usize, function: &serde_json::Value) -> String {
    events(&[delta(json!({"tool_calls": [{"index": index, "function": function}]}))])
}

/// A part of an answer, by how often it repeats.
type Shape<'s> = Box<dyn Fn(usize) -> String + 's>;

#[test]
fn s13_10_an_answer_without_end_is_cut_at_the_bound_that_it_passes_first() {
    let long = "x".repeat(200);
    let cases: [(&str, Shape<'_>); 18] = [
        ("`answer_bytes`", Box::new(|_| said(&"x".repeat(200)))),
        ("`answer_bytes`", Box::new(|_| said(&"\u{1}\n\"".repeat(9)))),
        ("`events`", Box::new(|_| said(""))),
        ("`events`", Box::new(|_| said("."))),
        ("`events`", Box::new(|_| "data:\n\n".to_owned())),
        ("`received_bytes`", Box::new(|_| format!(": {long}\n"))),
        ("`received_bytes`", Box::new(|_| format!("{long}: {long}\n"))),
        ("`event_bytes`", Box::new(|_| "x".repeat(100))),
        ("`event_bytes`", Box::new(|_| "data: x\n".repeat(9))),
        ("`event_bytes`", Box::new(|n| format!("event: {}", "y".repeat(n)))),
        ("`calls`", Box::new(|n| called(n, &json!({"name": "f", "arguments": "{}"})))),
        (
            "`calls`",
            Box::new(|_| {
                let call = json!({"function": {"name": "f", "arguments": "{}"}});
                events(&[delta(json!({"tool_calls": [call, call, call]}))])
            }),
        ),
        ("a name or an id", Box::new(|n| called(0, &json!({"name": format!("p{n}")})))),
        ("`answer_bytes`", Box::new(|_| called(0, &json!({"arguments": "x".repeat(90)})))),
        ("`answer_bytes`", Box::new(|n| events(&[delta(json!({format!("key{n}"): "value"}))]))),
        (
            "`answer_bytes`",
            Box::new(|n| events(&[json!({format!("key{n}"): [1, 2], "choices": []})])),
        ),
        (
            "`answer_bytes`",
            Box::new(|n| {
                let details = json!([{"index": n, "type": "t", "text": "x"}]);
                events(&[delta(json!({"reasoning_details": details}))])
            }),
        ),
        (
            "`answer_bytes`",
            Box::new(|n| events(&[json!({"choices": [], "usage": {format!("k{n}"): "v"}})])),
        ),
    ];
    for (bound, event) in cases {
        check(&endless(small(), event), bound);
    }
}

#[test]
fn s13_10_one_event_is_bounded_in_its_values_and_in_its_depth() {
    let many = json!((0..300).collect::<Vec<_>>());
    let keys: serde_json::Map<_, _> = (0..300).map(|n| (n.to_string(), json!({}))).collect();
    let deep = (0..30).fold(json!(1), |inner, _| json!([inner]));
    for (bound, value) in [("`values`", many), ("`values`", json!(keys)), ("`nesting`", deep)] {
        let response = endless(small(), |_| events(&[delta(json!({"odd": value}))]));
        check(&response, bound);
        let body = json!({"choices": [{"message": {"content": "Hi", "odd": value}}]}).to_string();
        check(&whole(&body).unwrap(), bound);
        let body = json!({"choices": [{"message": {"content": [value]}}]}).to_string();
        check(&whole(&body).unwrap(), bound);
    }
}

/// What comes of a whole body.
fn whole(body: &str) -> Result<Response, Unreadable> {
    let mut reply =
        Reply::within(small(), Api::ChatCompletions, 200, Some("application/json"), Streaming::No);
    body.as_bytes().chunks(100).for_each(|piece| reply.push(piece, &mut ignore));
    reply.finish(Ended::Whole)
}

#[test]
fn s13_10_a_body_is_bounded_too() {
    let of = |message: serde_json::Value| json!({"choices": [{"message": message}]}).to_string();
    let calls = vec![json!({"id": "c", "function": {"name": "f", "arguments": "{}"}}); 9];
    check(&whole(&of(json!({"content": "x".repeat(20_000)}))).unwrap(), "`answer_bytes`");
    check(&whole(&of(json!({"tool_calls": calls}))).unwrap(), "`calls`");
    let call = json!({"id": "c", "function": {"name": "f".repeat(2_000), "arguments": "{}"}});
    check(&whole(&of(json!({"tool_calls": [call]}))).unwrap(), "a name or an id");
    assert!(whole(&of(json!({"content": "x".repeat(9_000)}))).unwrap().incomplete.is_none());
}

#[test]
fn s13_10_usage_that_cannot_be_is_none() {
    let most = u64::MAX;
    for usage in [
        json!({"prompt_tokens": most, "completion_tokens": most, "total_tokens": most}),
        json!({"prompt_tokens": most, "completion_tokens": 1}),
        json!({"prompt_tokens": 1, "completion_tokens": most,
               "completion_tokens_details": {"reasoning_tokens": most}}),
        json!({"prompt_tokens": 1, "completion_tokens": 1, "cached_tokens": most}),
        json!({"prompt_tokens": 1, "completion_tokens": 1_000}),
    ] {
        let body = json!({"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}],
                          "usage": usage});
        let response = whole(&body.to_string()).unwrap();
        check(&response, "`tokens`");
        assert_eq!((response.usage, response.text().as_str()), (None, "Hi"), "{usage}");
    }
}

#[test]
fn s13_10_what_is_kept_of_a_cut_answer_is_its_beginning() {
    let bounds = Bounds { answer_bytes: 1 << 20, ..Bounds::default() };
    let text = "é".repeat(10_000);
    let response = endless(bounds, |_| said(&text));
    check(&response, "`answer_bytes`");
    assert!(response.text().starts_with(&text) && response.text().len() < 70_000);
    let long = "x".repeat(90_000);
    let response = endless(bounds, |n| called(n, &json!({"name": "f", "arguments": long})));
    let calls: Vec<_> = response.message.tool_calls().collect();
    assert_eq!(calls.len(), 1, "what follows does not fit");
}

#[test]
fn s13_10_what_came_of_a_cut_answer_is_counted_though_it_is_not_kept() {
    let text = |size: usize| said(&"x".repeat(size));
    let odd = json!((0..900).collect::<Vec<_>>());
    let streams: [(&str, usize, Shape<'_>); 7] = [
        ("`answer_bytes`", 10_000, Box::new(move |_| text(200))),
        ("`events`", 299, Box::new(|_| said("."))),
        ("`events`", 0, Box::new(|_| said(""))),
        ("`received_bytes`", 0, Box::new(|_| ": still here\n".repeat(10))),
        (
            "`event_bytes`",
            4_000,
            Box::new(|n| if n == 0 { "data: ".into() } else { "x".repeat(9) }),
        ),
        ("`calls`", 8, Box::new(|n| called(n, &json!({"name": "f", "arguments": "{}"})))),
        ("`values`", odd.to_string().len(), Box::new(|_| events(&[delta(json!({"odd": odd}))]))),
    ];
    for (bound, least, event) in streams {
        let response = endless(small(), event);
        check(&response, bound);
        let most = least as u64 * 100 + 100;
        assert!((least as u64..=most).contains(&response.came), "{bound}: {}", response.came);
    }
    let message = |message: serde_json::Value| json!({"choices": [{"message": message}]});
    let long = json!({"content": "x".repeat(20_000)});
    for (bound, least, body) in [
        ("`answer_bytes`", 10_000, message(long)),
        ("`values`", 3_000, message(json!({"content": "Hi", "odd": odd}))),
        (
            "`tokens`",
            2,
            json!({"usage": {"prompt_tokens": 1, "completion_tokens": u64::MAX},
                               "choices": [{"message": {"content": "Hi"}}]}),
        ),
    ] {
        let response = whole(&body.to_string()).unwrap();
        check(&response, bound);
        let most = body.to_string().len() as u64;
        assert!((least..=most).contains(&response.came), "{bound}: {}", response.came);
    }
    let within = json!({"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}]});
    assert_eq!(whole(&within.to_string()).unwrap().came, 0);
}

#[test]
fn s13_10_what_follows_a_bound_is_not_taken() {
    let mut reply = Reply::within(
        small(),
        Api::ChatCompletions,
        200,
        Some("text/event-stream"),
        Streaming::Yes,
    );
    let mut shown = 0;
    for _ in 0..2_000 {
        reply.push(said(&"x".repeat(100)).as_bytes(), &mut |delta: Delta<'_>| {
            if let Delta::Text(text) = delta {
                shown += text.len();
            }
            ControlFlow::Continue(())
        });
    }
    assert!(shown <= small().answer_bytes, "{shown} bytes were shown");
    check(&reply.finish(Ended::Whole).unwrap(), "`answer_bytes`");
}

#[test]
fn s13_10_the_message_of_an_error_is_bounded() {
    let long = "x".repeat(1 << 20);
    let body = json!({"error": {"message": long, "code": long, "type": long, "param": long}});
    for (status, text) in [(400, body.to_string()), (500, long.clone()), (200, events(&[body]))] {
        let kind = if status == 200 { "text/event-stream" } else { "application/json" };
        let mut reply = Reply::new(Api::ChatCompletions, status, Some(kind), Streaming::Yes);
        reply.push(text.as_bytes(), &mut ignore);
        let Err(Unreadable::Api(error)) = reply.finish(Ended::Whole) else {
            panic!("it is an error")
        };
        let shown = format!("{error:?}");
        assert!(shown.len() < 4_000, "{} characters", shown.len());
    }
}

proptest! {
    /// No more is kept than the bounds allow, for any input.
    #[test]
    fn s13_10_no_stream_is_kept_beyond_its_bounds(
        pieces in prop::collection::vec((0..9usize, 0..400usize), 0..200),
    ) {
        let mut reply =
            Reply::within(small(), Api::ChatCompletions, 200, Some("text/event-stream"), Streaming::Yes);
        for (kind, size) in pieces {
            let text = "y".repeat(size);
            let bytes = match kind {
                0 => said(&text),
                1 => events(&[delta(json!({"reasoning": text}))]),
                2 => called(size % 12, &json!({"name": "f", "arguments": text})),
                3 => events(&[delta(json!({text: 1}))]),
                4 => events(&[json!({"choices": [], text: [size]})]),
                5 => format!(": {text}\n"),
                6 => text,
                7 => "\n\n".to_owned(),
                _ => events(&[delta(json!({"content": [{"type": text}]}))]),
            };
            reply.push(bytes.as_bytes(), &mut ignore);
        }
        if let Ok(response) = reply.finish(Ended::Whole) {
            let journaled = serde_json::to_string(&response).unwrap().len();
            prop_assert!(journaled < 2 * small().answer_bytes, "{journaled} bytes");
            prop_assert!(response.message.tool_calls().count() <= small().calls);
            let over = response.incomplete == Some(Incomplete::OverBound);
            prop_assert_eq!(over, response.bound.is_some());
        }
    }
}

/// What a real server is answered, and how often it was asked.
async fn asked(act: Act, bounds: Bounds) -> (Response, usize) {
    let (server, clock) = (Server::start([act]).await, Turned::new());
    let model = model_at(&server, &clock).bounds(bounds).build().unwrap();
    let mut show = ignore;
    let response = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
    server.hung_up().await;
    (response, server.requests().len())
}

#[tokio::test]
async fn s13_10_a_server_that_sends_for_ever_is_asked_once() {
    let event = |text: &str| chunk(&said(text));
    let json_head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n".to_owned();
    let floods = [
        ("`answer_bytes`", open_stream(""), event(&"x".repeat(500))),
        ("`received_bytes`", open_stream(""), chunk(": still here\n\n")),
        ("`event_bytes`", open_stream(""), chunk("data: more and more")),
        ("`answer_bytes`", json_head.clone(), "{\"key\":[[[".to_owned()),
        ("`received_bytes`", json_head, " ".to_owned()),
        (
            "`calls`",
            open_stream(""),
            chunk(&events(&[delta(json!({"tool_calls": [
            {"function": {"name": "f", "arguments": "{}"}},
            {"function": {"name": "f", "arguments": "{}"}}]}))])),
        ),
    ];
    for (bound, head, again) in floods {
        // It comes in large pieces, which hold many events.
        let bounds = Bounds { received_bytes: 1 << 20, events: 100_000, ..small() };
        let (response, requests) = asked(Act::flood(head, again), bounds).await;
        check(&response, bound);
        assert_eq!((requests, response.charged_attempts), (1, 0), "{bound}");
    }
}

#[tokio::test]
async fn s13_10_the_usual_bounds_end_a_flood_too() {
    let again = chunk(&said(&"x".repeat(4_000)));
    let (response, _) = asked(Act::flood(open_stream(""), again), Bounds::default()).await;
    check(&response, "8 MiB (bound `answer_bytes`)");
}

#[tokio::test]
async fn s13_10_headers_without_end_are_not_asked_for_again() {
    let floods = ["x-more: and more\r\n", "x", "\r\n"];
    for again in floods {
        let head = "HTTP/1.1 200 OK\r\nx-a: b".to_owned();
        let flood = Act::flood(head, again);
        let (server, clock) = (Server::start([flood]).await, Turned::new());
        let model = model_at(&server, &clock).bounds(small()).build().unwrap();
        let came = model.infer(question("Hi?"), None).await;
        match again {
            // The head ended there: it is the body that does not.
            "\r\n" => check(&came.unwrap(), "`received_bytes`"),
            _ => assert!(!came.unwrap_err().is_retryable()),
        }
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn s13_10_the_body_of_an_error_is_read_to_a_bound() {
    let flood = Act::flood("HTTP/1.1 400 Bad\r\n\r\n", "no ");
    let (server, clock) = (Server::start([flood]).await, Turned::new());
    let error = model_at(&server, &clock).build().unwrap().infer(question("Hi?"), None).await;
    let error = error.unwrap_err();
    assert!(error.message.len() < 1_000 && error.status == Some(400), "{error}");
    server.hung_up().await;
}

#[tokio::test]
async fn s13_10_a_list_of_models_is_bounded() {
    let head = "HTTP/1.1 200 OK\r\n\r\n".to_owned();
    let many = json!({"data": vec![json!({"id": "m"}); 300]}).to_string();
    let cases = [
        ("`answer_bytes`", Act::flood(head, "[[")),
        ("`values`", Act::Close(answer("200 OK", "application/json", "", &many))),
    ];
    for (bound, act) in cases {
        let server = Server::start([act]).await;
        let error = model_at(&server, &Turned::new()).bounds(small()).offered().await;
        let shown = error.unwrap_err().to_string();
        assert!(shown.contains(bound), "{shown}");
    }
}

#[test]
fn s13_10_within_its_bounds_an_answer_is_whole() {
    let text =
        json!({"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]});
    let mut reply = Reply::within(
        small(),
        Api::ChatCompletions,
        200,
        Some("text/event-stream"),
        Streaming::Yes,
    );
    reply.push(events(&[text]).as_bytes(), &mut ignore);
    let response = reply.finish(Ended::Whole).unwrap();
    assert_eq!((response.incomplete, response.bound), (None, None));
    assert_eq!(*response.message.parts, [Part::text("Hi")]);
}
