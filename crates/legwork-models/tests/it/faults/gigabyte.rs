//! What is 1 GB long, or never ends, wherever in an answer it is.

use std::ops::ControlFlow;
use std::time::Duration;

use legwork_core::Response;
use legwork_core::inference::Incomplete;
use legwork_models::Bounds;
use legwork_models::answer::Streaming;
use legwork_models::retry::Policy;
use legwork_port::Delta;
use legwork_port::model::Kind;

use super::{Asked, BOTH, MUCH, SOME, wires};
use crate::clock::Turned;
use crate::server::{Act, Server, chunk_of, stream_head};

const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";

/// The head of an answer of 1 GB.
fn head(status: &str, content_type: &str) -> String {
    let length = 1 << 30;
    format!("HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n\r\n")
}

/// The same of which no length is known.
fn open_head(status: &str, content_type: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\n\r\n")
}

/// An answer that goes on with the same until it is long enough for anybody.
fn flood(head: &str, begun: &[u8], again: &[u8]) -> Act {
    Act::flood([head.as_bytes(), begun].concat(), again)
}

fn check(asked: &Asked, came: &Response, bound: &str) {
    assert_eq!(came.incomplete, Some(Incomplete::OverBound), "{asked}");
    let passed = came.bound.as_deref().unwrap();
    assert!(passed.contains(bound), "{asked}: {passed}");
}

#[tokio::test]
async fn s13_10_a_line_of_1_gb_is_cut() {
    for asked in wires() {
        let begun = [asked.said.begun(), asked.said.endless.clone()].concat();
        let mut lines = vec![begun];
        if asked.said.stream == EVENTS {
            // A comment, a field that nobody knows, and the name of an event.
            lines.extend(
                [": ", "x", "event: "].map(|line| [asked.said.begun(), line.into()].concat()),
            );
        }
        for line in lines {
            for head in [head("200 OK", asked.said.stream), open_head("200 OK", asked.said.stream)]
            {
                let act = flood(&head, &line, &[b'x'; 1_000]);
                let came = asked.once_holding(MUCH, Streaming::Yes, act).await;
                let came = came.unwrap();
                check(&asked, &came, "`event_bytes`");
                assert_eq!(came.text(), "Hé", "{asked}");
            }
        }
    }
}

#[tokio::test]
async fn s13_10_a_body_of_1_gb_is_cut() {
    for asked in wires() {
        let body = asked.said.body.to_string();
        let begun = body.split_once("llo").unwrap().0;
        for streaming in BOTH {
            for head in [head("200 OK", JSON), open_head("200 OK", JSON)] {
                let act = flood(&head, begun.as_bytes(), b"x");
                let came = asked.once_holding(MUCH, streaming, act).await;
                check(&asked, &came.unwrap(), "`answer_bytes`");
            }
        }
    }
}

#[tokio::test]
async fn s13_10_white_space_without_end_is_cut_and_not_kept() {
    let bounds = Bounds { received_bytes: 4 << 20, ..Bounds::default() };
    for asked in wires() {
        let act = flood(&head("200 OK", JSON), b"", b" \n");
        let came = asked.once_within(SOME, bounds, Streaming::No, act).await.unwrap();
        check(&asked, &came, "`received_bytes`");
    }
}

#[tokio::test]
async fn s13_10_an_error_of_1_gb_is_read_to_a_bound() {
    let begins = [(JSON, "{\"error\": {\"message\": \""), ("text/html", "<html>"), (JSON, "")];
    for asked in wires() {
        for (content_type, begun) in begins {
            for head in [head("500 Oh", content_type), open_head("500 Oh", content_type)] {
                for streaming in BOTH {
                    let act = flood(&head, begun.as_bytes(), b"x");
                    let came = asked.once_holding(SOME, streaming, act).await;
                    let error = came.unwrap_err();
                    let found = (error.kind, error.status);
                    assert_eq!(found, (Kind::Server, Some(500)), "{asked}: {error}");
                    assert!(error.message.len() < 1_000, "{asked}: {error}");
                }
            }
        }
    }
}

#[tokio::test]
async fn s13_10_a_head_without_end_is_cut() {
    for asked in wires() {
        for begun in ["HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nx-", "HTTP/1.1 200 OK\r\nx-a: "] {
            let act = Act::flood(begun, "x");
            let error = asked.once_holding(SOME, Streaming::Yes, act).await.unwrap_err();
            assert_eq!(error.kind, Kind::Malformed, "{asked}, {begun:?}: {error}");
            assert!(!error.is_retryable(), "{asked}, {begun:?}: {error}");
        }
    }
}

#[tokio::test]
async fn s11_3_a_chunk_whose_head_or_end_never_ends_is_cut_and_what_came_is_kept() {
    for asked in wires() {
        for (more, again) in [("5;x=", "x"), ("0\r\nx-a: ", "x"), ("0", "0")] {
            let begun = asked.open(&asked.said.begun());
            let act = Act::flood([&*begun, more.as_bytes()].concat(), again);
            let (server, clock) = (Server::start([act]).await, Turned::new());
            let model = asked.at(&server, &clock).retry(Policy::never()).build().unwrap();
            // Zeros are as good as silence, and hold nothing.
            let mut show = |_: Delta<'_>| {
                let clock = clock.clone();
                tokio::spawn(async move { clock.pass(Duration::from_secs(120)).await });
                ControlFlow::Continue(())
            };
            let came = asked.ask_within(SOME, &model, Some(&mut show)).await.unwrap();
            let said = (came.text(), came.incomplete);
            assert_eq!(said, ("Hé".to_owned(), Some(Incomplete::Cut)), "{asked}, {more:?}");
        }
    }
}

#[tokio::test]
async fn s13_10_empty_chunks_and_events_without_end_are_cut() {
    let bounds = Bounds { received_bytes: 64 << 10, events: 100, ..Bounds::default() };
    for asked in wires() {
        let (nothing, bound): (&[u8], _) = match asked.said.stream {
            EVENTS => (b"\n", "`received_bytes`"),
            _ => (&asked.said.opening, "`events`"),
        };
        let head = stream_head(asked.said.stream);
        let again = chunk_of(nothing);
        let act = Act::flood([head.as_bytes(), &chunk_of(&asked.said.begun())].concat(), again);
        let came = asked.once_within(SOME, bounds, Streaming::Yes, act).await.unwrap();
        check(&asked, &came, bound);
    }
}
