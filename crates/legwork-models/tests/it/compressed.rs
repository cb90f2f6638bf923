//! Compressed answers over real HTTP.

use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_core::inference::Incomplete;
use legwork_models::Bounds;
use legwork_port::model::Kind;
use legwork_port::{Delta, Model};
use serde_json::json;
use tokio::sync::{Semaphore, mpsc};

use crate::answers::{delta, end, events};
use crate::clock::Turned;
use crate::gzip::gzipped;
use crate::server::{Act, Server};
use crate::traffic::{model_at, question};

/// A head with a content coding; the body ends with the connection.
fn head(status: &str, content_type: &str, coding: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\n\
         content-encoding: {coding}\r\nconnection: close\r\n\r\n"
    )
    .into_bytes()
}

/// Sends the pieces of a compressed body at once, and closes.
pub(crate) fn sent(status: &str, content_type: &str, coding: &str, body: &[Vec<u8>]) -> Act {
    let pieces = std::iter::once(head(status, content_type, coding)).chain(body.iter().cloned());
    Act::Pieces(pieces.collect(), Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)))
}

const SSE: &str = "text/event-stream";

fn said(text: &str) -> String {
    events(&[delta(json!({"content": text}))])
}

fn ended() -> String {
    events(&[end("stop")]) + "data: [DONE]\n\n"
}

fn ignore(_: Delta<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[tokio::test]
async fn events_of_a_compressed_stream_come_as_they_are_flushed() {
    let pieces = gzipped(&[&said("Hel"), &said("lo."), &ended()]);
    let drops = Arc::new(Semaphore::new(2));
    let pieces = std::iter::once(head("200 OK", SSE, "gzip")).chain(pieces).collect();
    let server = Server::start([Act::Pieces(pieces, Arc::clone(&drops))]).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    let (seen, mut shown) = mpsc::unbounded_channel();
    let asking = tokio::spawn(async move {
        let mut show = |delta: Delta<'_>| {
            if let Delta::Text(text) = delta {
                seen.send(text.to_owned()).unwrap();
            }
            ControlFlow::Continue(())
        };
        model.infer(question("Hi?"), Some(&mut show)).await
    });
    // The server sends each piece once the one before was shown.
    for text in ["Hel", "lo."] {
        assert_eq!(shown.recv().await.unwrap(), text);
        drops.add_permits(1);
    }
    let response = asking.await.unwrap().unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hello.", None));
    let request = server.requests().remove(0).to_ascii_lowercase();
    assert!(request.contains("\r\naccept-encoding: gzip, br"), "{request}");
}

#[tokio::test]
async fn s13_10_a_compression_bomb_meets_the_bounds_of_a_plain_body() {
    let bounds = Bounds { received_bytes: 1 << 20, answer_bytes: 100_000, ..Bounds::default() };
    let cases = [
        ("`answer_bytes`", "application/json", "{".repeat(20 << 20)),
        ("`answer_bytes`", SSE, said(&"x".repeat(1_000)).repeat(20_000)),
        ("`event_bytes`", SSE, format!("data: {}", "x".repeat(20 << 20))),
        ("`received_bytes`", SSE, ":\n".repeat(10 << 20)),
    ];
    for (bound, content_type, body) in cases {
        let bomb = gzipped(&[&body]);
        assert!(bomb[0].len() < 200_000, "{}", bomb[0].len());
        let server = Server::start([sent("200 OK", content_type, "gzip", &bomb)]).await;
        let bounds = Bounds { event_bytes: 1 << 19, ..bounds };
        let model = model_at(&server, &Turned::new()).bounds(bounds).build().unwrap();
        let response = model.infer(question("Hi?"), Some(&mut ignore)).await.unwrap();
        assert_eq!(response.incomplete, Some(Incomplete::OverBound), "{bound}");
        let passed = response.bound.unwrap();
        assert!(passed.contains(bound), "{bound}: {passed}");
    }
}

#[tokio::test]
async fn s11_3_a_compressed_stream_without_its_end_is_repeated() {
    let whole = gzipped(&[&said("Hello."), &ended()]);
    let cut = gzipped(&[&said("Hel"), &ended()]);
    let acts = [
        // After some of the answer, within a block, and before anything of it.
        sent("200 OK", SSE, "gzip", &cut[..1]),
        sent("200 OK", SSE, "gzip", &[cut[0][..cut[0].len() - 4].to_vec()]),
        sent("200 OK", SSE, "gzip", &[cut[0][..5].to_vec()]),
        sent("200 OK", SSE, "gzip", &whole),
    ];
    let server = Server::start(acts).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    let response = model.infer(question("Hi?"), Some(&mut ignore)).await.unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hello.", None));
    assert_eq!((response.charged_attempts, server.requests().len()), (3, 4));
}

#[tokio::test]
async fn what_is_not_compressed_as_it_says_is_malformed() {
    let server = Server::start([sent("200 OK", SSE, "gzip", &[said("Hi").into()])]).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    let error = model.infer(question("Hi?"), Some(&mut ignore)).await.unwrap_err();
    assert_eq!((error.kind, error.charged_attempts), (Kind::Malformed, 1), "{error}");
    assert!(error.message.contains("cannot be decompressed (gzip)"), "{error}");
}

#[tokio::test]
async fn an_encoding_that_is_not_known_is_named() {
    let server = Server::start([sent("200 OK", SSE, "rot13", &[said("Uv").into()])]).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    let error = model.infer(question("Hi?"), Some(&mut ignore)).await.unwrap_err();
    assert_eq!((error.kind, error.charged_attempts), (Kind::Malformed, 1), "{error}");
    assert!(error.message.contains(r#"encoded as "rot13", and gzip, br"#), "{error}");
}

#[tokio::test]
async fn a_refusal_is_read_compressed_and_stays_one_where_it_cannot_be_read() {
    let body = gzipped(&[r#"{"error": {"message": "no such model"}}"#]);
    let acts = [
        sent("404 Not Found", "application/json", "gzip", &body),
        sent("404 Not Found", "application/json", "rot13", &body),
        sent("404 Not Found", "application/json", "gzip", &[b"plain".to_vec()]),
    ];
    let server = Server::start(acts).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    for expected in ["no such model", "404", "404"] {
        let error = model.infer(question("Hi?"), None).await.unwrap_err();
        assert_eq!((error.kind, error.status), (Kind::UnknownModel, Some(404)), "{error}");
        assert!(error.message.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_list_of_models_may_be_compressed() {
    let body = gzipped(&[r#"{"data": [{"id": "m1"}]}"#]);
    let acts = [
        sent("200 OK", "application/json", "gzip", &body),
        sent("200 OK", "application/json", "gzip", &[body[0][..9].to_vec()]),
    ];
    let server = Server::start(acts).await;
    let builder = model_at(&server, &Turned::new());
    assert_eq!(builder.offered().await.unwrap()[0].id, "m1");
    let error = builder.offered().await.unwrap_err().to_string();
    assert!(error.contains("its end is missing"), "{error}");
}
