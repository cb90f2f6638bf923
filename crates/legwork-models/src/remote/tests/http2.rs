use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use h2::Reason;
use legwork_core::inference::Incomplete;
use legwork_port::model::Kind;
use legwork_port::{Delta, Model as _};
use tokio::sync::{Barrier, Semaphore};

use super::clock::Turned;
use super::recorder::Recorder;
use super::tls::{Act, Server};
use super::{body, ended, model_at, question, said};
use crate::bounds::Bounds;
use crate::http::Timeouts;
use crate::retry::Policy;

const BOTH: &[&str] = &["h2", "http/1.1"];

fn ignore(_: Delta<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[tokio::test]
async fn inferences_at_the_same_time_share_a_connection() {
    let barrier = Arc::new(Barrier::new(3));
    let together = (1..=3).map(|n| Act::Together(Arc::clone(&barrier), body(&n.to_string())));
    let acts = together.chain([Act::Answer(body("4"))]);
    let server = Server::start(BOTH, acts).await;
    let model = model_at(&server, |model| model);
    let ask = || model.infer(question(), None);
    let (a, b, c) = tokio::join!(ask(), ask(), ask());
    let mut texts = [a, b, c].map(|response| response.unwrap().text());
    texts.sort();
    assert_eq!(texts, ["1", "2", "3"]);
    assert_eq!(ask().await.unwrap().text(), "4");
    assert_eq!(server.connections(), 1);
    let request = server.requests().remove(0);
    let uri = format!("{}/chat/completions", server.base_url);
    assert!(request.contains(&uri) && request.contains("HTTP/2.0"), "{request}");
    assert!(!request.contains("\"host\""), "{request}");
}

#[tokio::test]
async fn s13_11_no_event_holds_a_key_not_even_those_of_h2() {
    let server = Server::start(BOTH, [Act::Answer(body("1"))]).await;
    let model = model_at(&server, |model| model);
    let (recorder, _guard) = Recorder::start();
    model.infer(question(), None).await.unwrap();
    let lines = recorder.lines("legwork_models");
    assert!(lines[0].ends_with(" protocol=HTTP/2"), "{lines:?}");
    assert!(!recorder.lines("h2::").is_empty());
    let everything = recorder.everything();
    assert!(!everything.contains("sk-secret") && !everything.contains("Bearer"), "{everything}");
}

#[tokio::test]
async fn a_server_that_offers_http1_alone_is_asked_so() {
    for offers in [&["http/1.1"][..], &[]] {
        let acts = ["1", "2", "3"].map(|text| Act::Answer(body(text)));
        let server = Server::start(offers, acts).await;
        let model = model_at(&server, |model| model);
        let ask = || model.infer(question(), None);
        let (one, other) = tokio::join!(ask(), ask());
        let (one, other) = (one.unwrap(), other.unwrap());
        assert_ne!(one.text(), other.text());
        ask().await.unwrap();
        assert_eq!(server.connections(), 3);
        assert!(server.requests()[0].starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
    }
}

#[tokio::test]
async fn s11_3_a_stream_that_is_reset_is_repeated() {
    // The last is no failure for HTTP, and an answer without its end for us.
    for reason in [Reason::INTERNAL_ERROR, Reason::CANCEL, Reason::NO_ERROR] {
        let go = Arc::new(Semaphore::new(0));
        let cut = Act::Cut(said("Hel"), reason, Arc::clone(&go));
        let acts = [cut, Act::Stream(said("Hello.") + &ended())];
        let server = Server::start(BOTH, acts).await;
        let model = model_at(&server, |model| model.clock(Turned::new()));
        let mut text = String::new();
        let mut show = |delta: Delta<'_>| {
            if let Delta::Text(piece) = delta {
                text.push_str(piece);
                go.add_permits(1);
            }
            ControlFlow::Continue(())
        };
        let response = model.infer(question(), Some(&mut show)).await.unwrap();
        assert_eq!((response.text().as_str(), response.incomplete), ("Hello.", None));
        assert_eq!((response.charged_attempts, &*text), (1, "HelHello."), "{reason}");
        assert_eq!(server.connections(), 1);
    }
}

#[tokio::test]
async fn s11_5_a_body_that_is_reset_is_not_an_answer() {
    let half = Act::Half("[[0],[0],".to_owned(), Reason::NO_ERROR);
    let server = Server::start(BOTH, [half, Act::Answer(body("Hi."))]).await;
    let clock = Turned::new();
    let model = model_at(&server, |model| model.clock(clock.clone()));
    let response = model.infer(question(), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Hi.", 1));
    assert_eq!(clock.waits().len(), 1);
}

#[tokio::test]
async fn s11_5_a_refused_stream_is_repeated_and_not_charged() {
    for (reason, charged) in [(Reason::REFUSED_STREAM, 0), (Reason::INTERNAL_ERROR, 1)] {
        let server = Server::start(BOTH, [Act::Refuse(reason), Act::Answer(body("Hi."))]).await;
        let clock = Turned::new();
        let model = model_at(&server, |model| model.clock(clock.clone()));
        let response = model.infer(question(), None).await.unwrap();
        assert_eq!((response.text().as_str(), response.charged_attempts), ("Hi.", charged));
        assert_eq!(clock.waits().len(), 1);
    }
}

#[tokio::test]
async fn a_connection_that_goes_away_is_replaced_without_a_charge() {
    let acts = [Act::Last(body("1")), Act::Answer(body("2"))];
    let server = Server::start(BOTH, acts).await;
    let model = model_at(&server, |model| model.clock(Turned::new()));
    for text in ["1", "2"] {
        let response = model.infer(question(), None).await.unwrap();
        assert_eq!((response.text().as_str(), response.charged_attempts), (text, 0));
    }
    assert_eq!((server.connections(), server.requests().len()), (2, 2));
}

#[tokio::test]
async fn s11_5_a_connection_that_is_lost_is_replaced_and_charged() {
    let server = Server::start(BOTH, [Act::Close, Act::Answer(body("Hi."))]).await;
    let model = model_at(&server, |model| model.clock(Turned::new()));
    let response = model.infer(question(), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("Hi.", 1));
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn dropping_an_inference_resets_its_stream_alone() {
    let server = Server::start(BOTH, [Act::Wait, Act::Answer(body("Hi."))]).await;
    let model = Arc::new(model_at(&server, |model| model));
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
    let server = Server::start(BOTH, [Act::Wait]).await;
    let clock = Turned::new();
    let model = model_at(&server, |model| model.clock(clock.clone()).retry(Policy::never()));
    let passing = async {
        server.asked(1).await;
        clock.pass(Duration::from_secs(300)).await;
    };
    let (came, ()) = tokio::join!(model.infer(question(), None), passing);
    assert_eq!(came.unwrap_err().kind, Kind::Timeout);
    assert_eq!(server.reset().await, Reason::CANCEL);
}

#[tokio::test]
async fn s13_10_a_flood_over_http2_is_cut() {
    let server = Server::start(BOTH, [Act::Flood(said(&"x".repeat(1_000)))]).await;
    let bounds = Bounds { answer_bytes: 1 << 20, ..Bounds::default() };
    let model = model_at(&server, |model| model.bounds(bounds));
    let response = model.infer(question(), Some(&mut ignore)).await.unwrap();
    assert_eq!(response.incomplete, Some(Incomplete::OverBound));
    assert_eq!(server.reset().await, Reason::CANCEL);
}

#[tokio::test]
async fn s13_10_a_flood_over_http2_leaves_time_to_others() {
    let server = Server::start(BOTH, [Act::Flood(":\n".to_owned())]).await;
    let clock = Turned::new();
    let bounds = Bounds { received_bytes: usize::MAX, ..Bounds::default() };
    let day = Duration::from_secs(86_400);
    let timeouts = Timeouts { first_byte: 10_000 * day, silence: day, ..Timeouts::default() };
    let model =
        model_at(&server, |model| model.clock(clock.clone()).bounds(bounds).timeouts(timeouts));
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
