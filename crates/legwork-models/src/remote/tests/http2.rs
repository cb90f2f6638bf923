use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
#[cfg(feature = "bedrock")]
use std::time::UNIX_EPOCH;

use h2::Reason;
use legwork_core::inference::Incomplete;
use legwork_port::model::Kind;
use legwork_port::{Delta, Model as _};
use tokio::sync::{Barrier, Semaphore};

use super::clock::Turned;
#[cfg(feature = "bedrock")]
use super::clock::WALL;
use super::recorder::Recorder;
use super::tls::{Act, Events, Server};
use super::{Wire, all_wires, question};
use crate::bounds::Bounds;
use crate::http::Timeouts;
use crate::retry::Policy;

const BOTH: &[&str] = &["h2", "http/1.1"];

fn ignore(_: Delta<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A wire for the tests of what no wire has a part in.
fn any_wire() -> Wire {
    all_wires().next().unwrap()
}

#[tokio::test]
async fn inferences_at_the_same_time_share_a_connection() {
    for wire in all_wires() {
        let barrier = Arc::new(Barrier::new(3));
        let together =
            (1..=3).map(|n| Act::Together(Arc::clone(&barrier), wire.body(&n.to_string())));
        let acts = together.chain([Act::Answer(wire.body("4"))]);
        let server = Server::start(BOTH, acts).await;
        let model = wire.at(&server, |model| model);
        let ask = || model.infer(question(), None);
        let (a, b, c) = tokio::join!(ask(), ask(), ask());
        let mut texts = [a, b, c].map(|response| response.unwrap().text());
        texts.sort();
        assert_eq!(texts, ["1", "2", "3"], "{wire}");
        assert_eq!(ask().await.unwrap().text(), "4", "{wire}");
        assert_eq!(server.connections(), 1, "{wire}");
        let request = server.requests().remove(0);
        assert!(request.contains(&wire.url(&server)) && request.contains("HTTP/2.0"), "{request}");
        assert!(!request.contains("\"host\""), "{request}");
    }
}

#[tokio::test]
async fn s13_11_no_event_holds_a_key_not_even_those_of_h2() {
    let (wire, key) = (any_wire(), "sk-secret");
    let server = Server::start(BOTH, [Act::Answer(wire.body("1"))]).await;
    let model = wire.at(&server, |model| model);
    let (recorder, _guard) = Recorder::start();
    model.infer(question(), None).await.unwrap();
    let lines = recorder.lines("legwork_models");
    assert!(lines[0].ends_with(" protocol=HTTP/2"), "{lines:?}");
    assert!(!recorder.lines("h2::").is_empty());
    let everything = recorder.everything();
    assert!(!everything.contains(key) && !everything.contains("Bearer"), "{everything}");
}

#[tokio::test]
async fn a_server_that_offers_http1_alone_is_asked_so() {
    for wire in all_wires() {
        for offers in [&["http/1.1"][..], &[]] {
            let acts = ["1", "2", "3"].map(|text| Act::Answer(wire.body(text)));
            let server = Server::start(offers, acts).await;
            let model = wire.at(&server, |model| model);
            let ask = || model.infer(question(), None);
            let (one, other) = tokio::join!(ask(), ask());
            let (one, other) = (one.unwrap(), other.unwrap());
            assert_ne!(one.text(), other.text());
            ask().await.unwrap();
            assert_eq!(server.connections(), 3, "{wire}");
            let path = wire.url(&server).split_once("/v1").unwrap().1.to_owned();
            let line = format!("POST /v1{path} HTTP/1.1\r\n");
            assert!(server.requests()[0].starts_with(&line), "{wire}");
        }
    }
}

#[tokio::test]
async fn s11_3_a_stream_that_is_reset_is_repeated() {
    // The last is no failure for HTTP, and an answer without its end for us.
    for reason in [Reason::INTERNAL_ERROR, Reason::CANCEL, Reason::NO_ERROR] {
        for wire in all_wires() {
            let go = Arc::new(Semaphore::new(0));
            let cut = Act::Cut(wire.events(wire.said.begun()), reason, Arc::clone(&go));
            let acts = [cut, Act::Stream(wire.events(wire.said.whole()))];
            let server = Server::start(BOTH, acts).await;
            let model = wire.at(&server, |model| model.clock(Turned::new()));
            let mut text = String::new();
            let mut show = |delta: Delta<'_>| {
                if let Delta::Text(piece) = delta {
                    text.push_str(piece);
                    go.add_permits(1);
                }
                ControlFlow::Continue(())
            };
            let response = model.infer(question(), Some(&mut show)).await.unwrap();
            assert_eq!((response.text().as_str(), response.incomplete), ("Héllo", None), "{wire}");
            let shown = (response.charged_attempts, &*text);
            assert_eq!(shown, (1, "HéHéllo"), "{wire}: {reason}");
            assert_eq!(server.connections(), 1, "{wire}");
        }
    }
}

#[tokio::test]
async fn s11_5_a_body_that_is_reset_is_not_an_answer() {
    for wire in all_wires() {
        let half = Act::Half("[[0],[0],".to_owned(), Reason::NO_ERROR);
        let server = Server::start(BOTH, [half, Act::Answer(wire.body("Hi."))]).await;
        let clock = Turned::new();
        let model = wire.at(&server, |model| model.clock(clock.clone()));
        let response = model.infer(question(), None).await.unwrap();
        let came = (response.text(), response.charged_attempts, clock.waits().len());
        assert_eq!(came, ("Hi.".to_owned(), 1, 1), "{wire}");
    }
}

#[tokio::test]
async fn s11_5_a_refused_stream_is_repeated_and_not_charged() {
    for wire in all_wires() {
        for (reason, charged) in [(Reason::REFUSED_STREAM, 0), (Reason::INTERNAL_ERROR, 1)] {
            let acts = [Act::Refuse(reason), Act::Answer(wire.body("Hi."))];
            let (server, clock) = (Server::start(BOTH, acts).await, Turned::new());
            let model = wire.at(&server, |model| model.clock(clock.clone()));
            let response = model.infer(question(), None).await.unwrap();
            let came = (response.text(), response.charged_attempts, clock.waits().len());
            assert_eq!(came, ("Hi.".to_owned(), charged, 1), "{wire}");
        }
    }
}

#[tokio::test]
async fn a_connection_that_goes_away_is_replaced_without_a_charge() {
    let wire = any_wire();
    let acts = [Act::Last(wire.body("1")), Act::Answer(wire.body("2"))];
    let server = Server::start(BOTH, acts).await;
    let model = wire.at(&server, |model| model.clock(Turned::new()));
    for text in ["1", "2"] {
        let response = model.infer(question(), None).await.unwrap();
        assert_eq!((response.text().as_str(), response.charged_attempts), (text, 0));
    }
    assert_eq!((server.connections(), server.requests().len()), (2, 2));
}

#[tokio::test]
async fn s11_5_a_connection_that_is_lost_is_replaced_and_charged() {
    let wire = any_wire();
    let server = Server::start(BOTH, [Act::Close, Act::Answer(wire.body("Hi."))]).await;
    let model = wire.at(&server, |model| model.clock(Turned::new()));
    let response = model.infer(question(), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Hi.", 1));
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn dropping_an_inference_resets_its_stream_alone() {
    let wire = any_wire();
    let server = Server::start(BOTH, [Act::Wait, Act::Answer(wire.body("Hi."))]).await;
    let model = Arc::new(wire.at(&server, |model| model));
    let asked = Arc::clone(&model);
    let asking = tokio::spawn(async move { asked.infer(question(), None).await });
    server.asked(1).await;
    asking.abort();
    assert_eq!(server.reset().await, Reason::CANCEL);
    assert_eq!(model.infer(question(), None).await.unwrap().text(), "Hi.");
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left_in_time() {
    let wire = any_wire();
    let server = Server::start(BOTH, [Act::Wait]).await;
    let clock = Turned::new();
    let model = wire.at(&server, |model| model.clock(clock.clone()).retry(Policy::never()));
    let passing = async {
        server.asked(1).await;
        clock.pass(Duration::from_secs(300)).await;
    };
    let (came, ()) = tokio::join!(model.infer(question(), None), passing);
    assert_eq!(came.unwrap_err().kind, Kind::Timeout);
    assert_eq!(server.reset().await, Reason::CANCEL);
}

#[cfg(feature = "bedrock")]
#[tokio::test]
async fn a_signature_is_of_the_host_that_http2_names() {
    use crate::answer::Streaming;
    use crate::bedrock::{Keys, Scope, sign};

    let wire = all_wires().find(|wire| wire.api == crate::Api::Converse).unwrap();
    for offers in [BOTH, &["http/1.1"]] {
        let server = Server::start(offers, [Act::Answer(wire.body("Hi."))]).await;
        let model = wire.at(&server, |model| {
            model.aws("AKIDEXAMPLE", "secret", None).region("eu-west-1").clock(Turned::new())
        });
        assert_eq!(model.infer(question(), None).await.unwrap().text(), "Hi.");
        let place = server.base_url.trim_start_matches("https://").trim_end_matches("/v1");
        let mut request = http::Request::post("/v1/model/m/converse")
            .header("host", place)
            .header("content-type", "application/json")
            .body(())
            .unwrap();
        let keys = Keys { access_key: "AKIDEXAMPLE", secret_key: "secret", session_token: None };
        let scope = Scope::new("eu-west-1", UNIX_EPOCH + Duration::from_millis(WALL));
        let body = model.body(&question(), Streaming::No).unwrap();
        sign(&mut request, &server.base_url.parse().unwrap(), &body, keys, scope).unwrap();
        let expected = request.headers()["authorization"].to_str().unwrap();
        let came = server.requests().remove(0);
        assert!(came.contains(expected), "{offers:?}: {expected}, not {came}");
    }
}

#[tokio::test]
async fn s13_10_a_flood_over_http2_is_cut() {
    let bounds = Bounds { answer_bytes: 1 << 20, events: 10_000, ..Bounds::default() };
    for wire in all_wires() {
        let again = wire.said.text[1].repeat(100);
        let server = Server::start(BOTH, [Act::Flood(wire.events(again))]).await;
        let model = wire.at(&server, |model| model.bounds(bounds));
        let response = model.infer(question(), Some(&mut ignore)).await.unwrap();
        assert_eq!(response.incomplete, Some(Incomplete::OverBound), "{wire}");
        assert_eq!(server.reset().await, Reason::CANCEL, "{wire}");
    }
}

#[tokio::test]
async fn s13_10_a_flood_over_http2_leaves_time_to_others() {
    let wire = any_wire();
    let comments = Events { content_type: "text/event-stream", bytes: ":\n".into() };
    let server = Server::start(BOTH, [Act::Flood(comments)]).await;
    let clock = Turned::new();
    let bounds = Bounds { received_bytes: usize::MAX, ..Bounds::default() };
    let day = Duration::from_secs(86_400);
    let timeouts = Timeouts { first_byte: 10_000 * day, silence: day, ..Timeouts::default() };
    let model =
        wire.at(&server, |model| model.clock(clock.clone()).bounds(bounds).timeouts(timeouts));
    let passing = async {
        loop {
            clock.pass(Duration::from_secs(600)).await;
            tokio::task::yield_now().await;
        }
    };
    let mut show = ignore;
    let came = tokio::select! {
        came = model.infer(question(), Some(&mut show)) => came,
        () = passing => unreachable!(),
    };
    assert!(came.unwrap().bound.unwrap().contains("`answer_time`"));
}
