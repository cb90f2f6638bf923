//! What goes wrong between a server of embeddings and a client, over real HTTP, on each wire.

use std::time::Duration;

use legwork_models::Bounds;
use legwork_models::retry::Policy;
use legwork_port::Embedder;
use legwork_port::model::Kind;
use serde_json::json;

use super::sample::{VECTORS, samples, texts, whole};
use crate::clock::Turned;
use crate::server::{Act, Server, answer};

#[tokio::test]
async fn s11_6_an_answer_has_a_vector_for_each_text_and_what_was_used() {
    for sample in samples() {
        let (came, _, server) = sample.patiently([whole(&sample.body)]).await;
        let came = came.unwrap();
        assert_eq!(came.vectors, VECTORS, "{}", sample.api);
        assert_eq!(came.usage.unwrap().input, 7, "{}", sample.api);
        assert_eq!((came.usage.unwrap().output, came.charged_attempts), (0, 0), "{}", sample.api);
        let request = server.requests().remove(0);
        assert!(request.starts_with(&format!("POST {} HTTP/1.1\r\n", sample.path)), "{request}");
        assert!(request.contains("sk-secret-of-mine"), "{}: {request}", sample.api);
    }
}

#[tokio::test]
async fn s11_6_usage_that_is_not_said_is_not_made_up() {
    for sample in samples() {
        let came = sample.once(whole(&sample.bare)).await.unwrap();
        assert_eq!((came.vectors.len(), came.usage), (2, None), "{}", sample.api);
    }
}

#[tokio::test]
async fn s11_5_vectors_that_broke_off_are_asked_for_again() {
    for sample in samples() {
        let body = sample.body.to_string();
        let all = answer("200 OK", "application/json", "", &body);
        let head = all.len() - body.len();
        for cut in [head, head + 1, head + body.len() / 2, all.len() - 1] {
            let broken = Act::Close(all[..cut].to_owned());
            let error = sample.once(broken.clone()).await.unwrap_err();
            assert_eq!(error.cause.kind, Kind::Unreachable, "{} at {cut}: {error}", sample.api);
            assert!(error.is_retryable() && error.answered.is_none(), "{}", sample.api);
            let (came, ..) = sample.patiently([broken, whole(&sample.body)]).await;
            let came = came.unwrap();
            assert_eq!((came.vectors.len(), came.charged_attempts), (2, 1), "{}", sample.api);
        }
    }
}

#[tokio::test]
async fn s11_5_a_full_server_of_embeddings_is_asked_again_when_it_says() {
    // A number of seconds, and the date that is as far away from the clock of the test.
    let waits = ["retry-after: 7\r\n", "retry-after: Sun, 18 Oct 2015 07:28:07 GMT\r\n"];
    for sample in samples() {
        let full = [("429 Busy", waits[0]), ("429 Busy", waits[1]), ("503 Oh", waits[0])];
        for (status, header) in full.into_iter().chain([("529 Oh", ""), ("503 Oh", "")]) {
            let error = json!({"error": {"message": "busy"}, "message": "busy"}).to_string();
            let full = Act::Keep(answer(status, "application/json", header, &error));
            let (came, clock, _) = sample.patiently([full, whole(&sample.body)]).await;
            let came = came.unwrap();
            assert_eq!((came.vectors.len(), came.charged_attempts), (2, 0), "{}", sample.api);
            let least = if header.is_empty() { Duration::ZERO } else { Duration::from_secs(7) };
            let waited = clock.waits().into_iter().max().unwrap();
            assert!(waited >= least, "{} {status} {header}: {waited:?}", sample.api);
        }
    }
}

#[tokio::test]
async fn a_refusal_says_status_code_and_wait() {
    for sample in samples() {
        let body = json!({"error": {"message": "slower", "code": "too_fast"}}).to_string();
        let full = answer("429 Busy", "application/json", "retry-after: 600\r\n", &body);
        let (came, ..) = sample.patiently([Act::Close(full)]).await;
        let error = came.unwrap_err();
        let kind = (error.cause.kind, error.cause.status, error.cause.code.as_deref());
        assert_eq!(kind, (Kind::RateLimited, Some(429), Some("too_fast")), "{}", sample.api);
        assert_eq!(error.cause.retry_after, Some(Duration::from_secs(600)), "{}", sample.api);
        for (status, kind) in [
            ("401 No", Kind::Unauthorized),
            ("404 No", Kind::UnknownModel),
            ("400 No", Kind::BadRequest),
        ] {
            let refused =
                answer(status, "application/json", "", r#"{"error": "sk-secret-of-mine"}"#);
            // A second request would find no server.
            let (came, ..) = sample.patiently([Act::Close(refused)]).await;
            let error = came.unwrap_err();
            assert_eq!(error.cause.kind, kind, "{} {status}: {error}", sample.api);
            assert!(!error.to_string().contains("secret"), "{}: {error}", sample.api);
        }
    }
}

#[tokio::test]
async fn s11_6_what_holds_no_vectors_is_an_error_that_is_not_repeated() {
    for sample in samples() {
        let others =
            ["<html><title>Welcome</title></html>", "{\"embedd", "\u{feff}", "[]", "{}", "3"];
        for body in others {
            let garbage = Act::Close(answer("200 OK", "application/json", "", body));
            // A second request would find no server.
            let (came, ..) = sample.patiently([garbage]).await;
            let error = came.unwrap_err();
            assert_eq!(error.cause.kind, Kind::Malformed, "{} {body}: {error}", sample.api);
            assert_eq!(error.cause.charged_attempts, 1, "{} {body}", sample.api);
            assert!(error.to_string().contains(sample.api.title()) || !body.starts_with('{'));
        }
    }
}

#[tokio::test]
async fn an_error_with_status_200_is_an_error_of_embeddings_too() {
    for sample in samples() {
        let error = sample.once(whole(&sample.error)).await.unwrap_err();
        assert_eq!(error.cause.kind, Kind::Server, "{}: {error}", sample.api);
        assert!(error.cause.message.contains("busy"), "{}: {error}", sample.api);
    }
}

#[tokio::test]
async fn s13_10_endless_vectors_meet_their_bound() {
    let bounds = Bounds { answer_bytes: 64 << 10, ..Bounds::default() };
    let few = Bounds { received_bytes: 64 << 10, ..Bounds::default() };
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    for sample in samples() {
        let all = sample.body.to_string();
        let (begun, _) = all.split_once("0.5").unwrap();
        for (flood, bounds) in [("0.5,", bounds), (" ", bounds), ("0.5,", few)] {
            let flood = Act::Flood(format!("{head}{begun}").into(), flood.into());
            let error = sample.once_within(bounds, flood).await.unwrap_err();
            assert_eq!(error.cause.kind, Kind::Malformed, "{}: {error}", sample.api);
            assert!(error.to_string().contains("exceeds a bound"), "{}: {error}", sample.api);
        }
        // White space alone is not kept, but counts as received.
        let blank = Act::Flood(head.into(), " ".into());
        let error = sample.once_within(few, blank).await.unwrap_err();
        assert!(error.to_string().contains("received_bytes"), "{}: {error}", sample.api);
        // Of an error only the beginning is read.
        let error = Act::Flood("HTTP/1.1 400 No\r\n\r\n".into(), "oh ".into());
        let error = sample.once(error).await.unwrap_err();
        assert_eq!(error.cause.status, Some(400), "{}", sample.api);
        assert!(error.to_string().len() < 4_000, "{}", sample.api);
    }
}

#[tokio::test]
async fn s13_10_silence_before_vectors_is_cut() {
    for sample in samples() {
        let (server, clock) = (Server::start([Act::Stall(String::new())]).await, Turned::new());
        let embedder = sample.at(&server, &clock).retry(Policy::never()).build().unwrap();
        let asked = embedder.embed(texts());
        let (came, ()) = tokio::join!(asked, clock.pass(Duration::from_secs(300)));
        assert_eq!(came.unwrap_err().cause.kind, Kind::Timeout, "{}", sample.api);
    }
}

#[tokio::test]
async fn the_key_of_an_embedder_does_not_follow_a_redirect() {
    for sample in samples() {
        let other = Server::start([whole(&sample.body)]).await;
        let to = format!("location: {}\r\n", other.base_url);
        let moved = answer("307 Moved", "text/html", &to, "moved");
        let error = sample.once(Act::Close(moved)).await.unwrap_err();
        let kind = (error.cause.kind, error.cause.status);
        assert_eq!(kind, (Kind::BadRequest, Some(307)), "{}", sample.api);
        assert!(other.requests().is_empty(), "{}", sample.api);
        assert!(!error.to_string().contains("sk-secret"), "{}", sample.api);
    }
}
