//! Frames of Bedrock that are damaged, or that say half of what they should.

use legwork_core::inference::Incomplete;
use legwork_models::Api;
use legwork_port::model::Kind;
use serde_json::json;

use super::{Asked, ignore, wires};
use crate::clock::Turned;
use crate::server::Server;
use crate::wires::bedrock::{event, exception};

/// Bedrock, with a key and with signatures.
fn bedrock() -> impl Iterator<Item = Asked> {
    wires().into_iter().filter(|asked| asked.api == Api::Converse)
}

#[tokio::test]
async fn s11_3_a_damaged_frame_ends_an_answer_and_is_repeated() {
    for asked in bedrock() {
        let begun = asked.said.begun();
        // A length, a header, the content, and the checksum of a second frame of text.
        let second = asked.said.text[1].len();
        for at in [2, 14, second - 10, second - 1] {
            let mut damaged = [begun.clone(), asked.said.rest()].concat();
            damaged[begun.len() + at] ^= 1;
            let acts = [asked.stream(&damaged), asked.stream(&asked.said.whole())];
            let (server, clock) = (Server::start(acts).await, Turned::new());
            let model = asked.at(&server, &clock).build().unwrap();
            let came = asked.ask(&model, Some(&mut ignore)).await.unwrap();
            let said = (came.text(), came.incomplete, came.charged_attempts);
            assert_eq!(said, ("Héllo".to_owned(), None, 1), "{asked} at {at}");

            let came = asked.once(asked.stream(&damaged)).await.unwrap();
            assert_eq!(came.text(), "Hé", "{asked} at {at}");
            assert!(came.incomplete.is_some(), "{asked} at {at}");
        }
        // Where nothing was before it, it is an answer that did not begin.
        let mut damaged = asked.said.whole();
        damaged[30] ^= 1;
        let error = asked.once(asked.stream(&damaged)).await.unwrap_err();
        assert_eq!((error.kind, error.charged_attempts), (Kind::Unreachable, 1), "{asked}");
    }
}

#[tokio::test]
async fn s11_3_an_answer_ends_with_its_stop_and_not_with_its_usage() {
    let stop = event("messageStop", &json!({"stopReason": "end_turn"}));
    let usage = json!({"inputTokens": 3, "outputTokens": 2, "totalTokens": 5});
    let usage = event("metadata", &json!({"usage": usage, "metrics": {"latencyMs": 7}}));
    for asked in bedrock() {
        let text = [asked.said.begun(), asked.said.text[1].clone()].concat();
        let ended = |last: &[u8]| asked.stream(&[&*text, last].concat());
        let came = asked.once(ended(&stop)).await.unwrap();
        assert_eq!((came.text().as_str(), came.incomplete, came.usage), ("Héllo", None, None));
        // What it cost is known, though it has no end.
        let came = asked.once(ended(&usage)).await.unwrap();
        assert_eq!(came.incomplete, Some(Incomplete::NoEnd), "{asked}");
        assert_eq!(came.usage.unwrap().total(), 5, "{asked}");
        let came = asked.once(ended(&[&*stop, &*usage].concat())).await.unwrap();
        assert_eq!((came.incomplete, came.usage.unwrap().total()), (None, 5), "{asked}");
    }
}

#[tokio::test]
async fn s11_5_an_exception_in_place_of_an_answer_is_what_its_name_says() {
    let exceptions = [
        ("throttlingException", Kind::RateLimited, 0),
        ("serviceUnavailableException", Kind::Server, 0),
        ("modelStreamErrorException", Kind::Server, 0),
        ("internalServerException", Kind::Server, 1),
        ("validationException", Kind::BadRequest, 0),
        ("accessDeniedException", Kind::Unauthorized, 0),
    ];
    for asked in bedrock() {
        for (name, kind, charged) in exceptions {
            let said = exception(name, &json!({"message": "no"}));
            let error = asked.once(asked.stream(&said)).await.unwrap_err();
            assert_eq!((error.kind, error.charged_attempts), (kind, charged), "{asked}: {error}");
            assert_eq!(error.code.as_deref(), Some(name), "{asked}: {error}");
        }
    }
}
