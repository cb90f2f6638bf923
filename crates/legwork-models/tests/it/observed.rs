//! What is sent and received, observed.

use std::sync::{Arc, Mutex};

use legwork_models::remote::{Piece, Traffic};
use legwork_models::retry::Policy;
use legwork_models::{Builder, openai};
use legwork_port::Model as _;
use legwork_testkit::{Server, Turn};

use crate::clock::Turned;
use crate::layers::{Heard, request};

const KEY: &str = "sk-that-must-not-be-seen";

type Seen = Arc<Mutex<Vec<String>>>;

/// A model whose traffic is written down, a line for each piece.
fn observed(server: &Server) -> (Builder, Seen) {
    let seen = Seen::default();
    let (model, lines) = (openai::chat(server.base_url(), "m"), Arc::clone(&seen));
    let model = model.api_key(KEY).clock(Turned::new());
    (model.traffic(move |traffic| lines.lock().unwrap().push(line(traffic))), seen)
}

fn line(traffic: &Traffic<'_>) -> String {
    let Traffic { model, attempt, piece, .. } = traffic;
    let piece = match piece {
        Piece::Request { method, url, headers, body } => {
            let key = &headers.iter().find(|(name, _)| *name == "authorization").unwrap().1;
            let (server, path) = url.split_once("/v1").unwrap();
            assert!(server.starts_with("http://127.0.0.1:"), "{url}");
            format!("{method} {path} {key} {}", String::from_utf8_lossy(body))
        }
        Piece::Response { status, headers } => {
            let kind = headers.iter().find(|(name, _)| *name == "content-type");
            format!("{status} {}", kind.map_or("", |(_, value)| value))
        }
        Piece::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Piece::End(why) => format!("end {why:?}"),
        other => format!("{other:?}"),
    };
    format!("{model} {attempt} {piece}")
}

#[tokio::test]
async fn s13_11_a_request_and_its_answer_are_seen_as_they_are_but_for_the_key() {
    let server = Server::start([Turn::text("Hi.")]).unwrap();
    let (model, seen) = observed(&server);
    let model = model.build().unwrap();
    assert_eq!(model.infer(request("Hello?"), None).await.unwrap().text(), "Hi.");
    let seen = seen.lock().unwrap().clone();
    let head = "openai:m 1 POST /chat/completions [redacted] ";
    let sent = seen[0].strip_prefix(head).unwrap_or_else(|| panic!("{seen:#?}"));
    let received = server.requests()[0].body.clone();
    assert_eq!(serde_json::from_str::<serde_json::Value>(sent).unwrap(), received);
    assert_eq!(seen[1], "openai:m 1 200 application/json");
    assert!(seen[2].contains(r#""content":"Hi.""#), "{seen:#?}");
    assert_eq!(seen.last().unwrap(), "openai:m 1 end None");
    assert!(!seen.join("\n").contains(KEY), "{seen:#?}");
}

#[tokio::test]
async fn each_attempt_has_its_number_and_its_end() {
    let server = Server::start([Turn::text("Hi.").after([Turn::status(503)])]).unwrap();
    let (model, seen) = observed(&server);
    let mut deltas = Heard::default();
    let answer = model.build().unwrap().infer(request("Hello?"), Some(&mut deltas)).await;
    assert_eq!(answer.unwrap().text(), "Hi.");
    let seen = seen.lock().unwrap().clone();
    let of = |start: &str| seen.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!([of("openai:m 1 POST"), of("openai:m 1 503"), of("openai:m 1 end")], [1, 1, 1]);
    assert_eq!([of("openai:m 2 POST"), of("openai:m 2 200"), of("openai:m 2 end")], [1, 1, 1]);
    assert!(seen.iter().any(|line| line.contains("[DONE]")), "{seen:#?}");
}

#[tokio::test]
async fn an_attempt_without_an_answer_says_why() {
    let server = Server::start([Turn::text("Hi.")]).unwrap();
    let (model, seen) = observed(&server);
    let model = model.retry(Policy::never()).build().unwrap();
    // The server is gone.
    drop(server);
    let error = model.infer(request("Hello?"), None).await.unwrap_err();
    let seen = seen.lock().unwrap().clone();
    let [asked, end] = seen.as_slice() else { panic!("{seen:#?}") };
    assert!(asked.starts_with("openai:m 1 POST"), "{asked}");
    assert_eq!(*end, format!("openai:m 1 end {:?}", Some(error.message)));
}

#[tokio::test]
async fn an_observer_that_panics_costs_the_request_nothing() {
    let server = Server::start([Turn::text("Hi.")]).unwrap();
    let model = openai::chat(server.base_url(), "m").traffic(|_| panic!("no"));
    let answer = model.build().unwrap().infer(request("Hello?"), None).await;
    assert_eq!(answer.unwrap().text(), "Hi.");
}
