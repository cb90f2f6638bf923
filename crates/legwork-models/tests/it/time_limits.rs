//! Servers that go on without an end, as slowly as they like: each is cut in time.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::Response;
use legwork_core::inference::Incomplete;
use legwork_models::http::Timeouts;
use legwork_models::retry::Policy;
use legwork_models::{Builder, openai};
use legwork_port::model::{Error, Kind};
use legwork_port::{Delta, Model};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::answers::{delta, events};
use crate::clock::Turned;
use crate::server::{Act, Server, chunk, open_stream};
use crate::traffic::{model_at, question};

fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

fn limits() -> Timeouts {
    Timeouts {
        first_byte: minutes(5),
        idle: minutes(7),
        silence: minutes(10),
        answer: minutes(60),
        ..Timeouts::default()
    }
}

/// What comes of a server that sends the same again each minute, and after how many minutes.
async fn dripped(head: &str, again: &str) -> (Result<Response, Error>, u64) {
    let drops = Arc::new(Semaphore::new(0));
    let act = Act::Drip(head.to_owned(), again.to_owned(), Arc::clone(&drops));
    let (server, clock) = (Server::start([act]).await, Turned::new());
    let model = model_at(&server, &clock).timeouts(limits()).retry(Policy::never());
    let asking = tokio::spawn(infer(model));
    let mut passed = 0;
    while !asking.is_finished() && passed < 100 {
        drops.add_permits(1);
        // The runtime looks at its sockets now and then: the piece comes within this minute.
        for _ in 0..300 {
            tokio::task::yield_now().await;
        }
        if !asking.is_finished() {
            clock.pass(minutes(1)).await;
            passed += 1;
        }
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    }
    (asking.await.unwrap(), passed)
}

async fn infer(model: Builder) -> Result<Response, Error> {
    let mut show = |_: Delta<'_>| ControlFlow::Continue(());
    model.build().unwrap().infer(question("Hi?"), Some(&mut show)).await
}

const JSON: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";

#[tokio::test]
async fn s13_10_a_head_that_never_ends_is_cut_like_one_that_never_comes() {
    let cases = [
        ("", ""),
        ("", "HTTP/1.1 100 Continue\r\n\r\n"),
        ("", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\n", "x-a: b\r\n"),
        ("HTTP/1.1 200 OK\r\nx-a: ", "b"),
        ("H", ""),
    ];
    for (head, again) in cases {
        let (came, passed) = dripped(head, again).await;
        let error = came.unwrap_err();
        assert_eq!((error.kind, passed), (Kind::Timeout, 5), "{head:?} {again:?}: {error}");
    }
}

#[tokio::test]
async fn s13_10_what_says_nothing_is_silence() {
    let start = open_stream(&events(&[delta(json!({"content": "Hi"}))]));
    let cases = [
        (open_stream(""), chunk(": still here\n\n")),
        (start.clone(), chunk(": still here\n\n")),
        (start.clone(), chunk("x")),
        (start.clone(), chunk("data:\n\n")),
        (start.clone(), chunk("retry: 7\n")),
        (start, chunk("\n")),
        (JSON.to_owned(), " \n".to_owned()),
    ];
    for (head, again) in cases {
        let (came, passed) = dripped(&head, &again).await;
        assert!((10..=12).contains(&passed), "{again:?} after {passed} minutes");
        match came {
            Ok(response) => assert_eq!(response.incomplete, Some(Incomplete::Cut), "{again:?}"),
            Err(error) => assert_eq!(error.kind, Kind::Timeout, "{again:?}: {error}"),
        }
    }
}

#[tokio::test]
async fn s13_10_an_answer_that_goes_on_and_on_is_cut_and_says_so() {
    let cases = [
        (open_stream(""), chunk(&events(&[delta(json!({"content": "."}))]))),
        (open_stream(""), chunk(&events(&[delta(json!({}))]))),
        (open_stream(""), chunk(&events(&[json!({"choices": [], "n": 1})]))),
        (JSON.to_owned(), "{".to_owned()),
    ];
    for (head, again) in cases {
        let (came, passed) = dripped(&head, &again).await;
        let response = came.unwrap();
        assert!((60..=62).contains(&passed), "{again:?} after {passed} minutes");
        assert_eq!(response.incomplete, Some(Incomplete::OverBound), "{again:?}");
        // A point, or the weight of a part, a minute; of the body what came of it.
        let nothing = again.contains("{}") && !again.contains(":1");
        assert!(response.came > 0 || nothing, "{again:?}: {} bytes came", response.came);
        let bound = response.bound.unwrap();
        assert_eq!(bound, "it takes longer than 3600s (bound `answer_time`)");
    }
}

#[tokio::test]
async fn a_server_that_shakes_no_hands_is_left_in_time() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("https://{}/v1", silent.local_addr().unwrap());
    let clock = Turned::new();
    let timeouts = Timeouts { connect: minutes(50), first_byte: minutes(60), ..limits() };
    let model = openai::chat(&base_url, "m").api_key("sk-secret");
    let model = model.clock(Arc::<Turned>::clone(&clock)).timeouts(timeouts);
    let asking = tokio::spawn(infer(model.retry(Policy::never())));
    let (_stream, _) = silent.accept().await.unwrap();
    clock.pass(minutes(50)).await;
    let error = asking.await.unwrap().unwrap_err();
    assert_eq!(error.kind, Kind::Timeout, "{error}");
    assert!(error.to_string().contains("no connection within 3000s"), "{error}");
}
