//! Answers that break off, or of which a part cannot be read.

use std::sync::Arc;

use legwork_core::inference::Incomplete;
use legwork_port::model::Kind;
use tokio::sync::Semaphore;

use super::{Asked, ignore, sent, wires};
use crate::clock::Turned;
use crate::server::{Act, END, Server, chunk_of, stream_head};

#[tokio::test]
async fn s11_3_a_drop_after_any_byte_is_a_failure_or_incomplete() {
    for asked in wires() {
        let whole = asked.said.whole();
        let end = whole.len() - asked.said.closing.len();
        let raw = [asked.open(&whole), END.into()].concat();
        let head = stream_head(asked.said.stream).len();
        let begin = head + format!("{:x}\r\n", whole.len()).len();
        for at in head..raw.len() {
            check_drop(&asked, at, at > begin + end, sent([raw[..at].to_vec()])).await;
        }
    }
}

/// What comes of a stream that ends after some bytes; only with events of its end it is whole.
async fn check_drop(asked: &Asked, at: usize, may_be_whole: bool, act: Act) {
    // The server may have ended a piece inside a character.
    match asked.once(act).await {
        Ok(response) if response.incomplete.is_none() => {
            assert!(may_be_whole, "{asked} was whole at {at}");
            assert_eq!(response.text(), "Héllo", "{asked}");
        }
        Ok(response) => {
            let said = response.text();
            assert!("Héllo".starts_with(&said), "{asked}: {said:?} at {at}");
        }
        Err(error) => {
            assert!(error.is_retryable(), "{asked} at {at}: {error}");
            assert_eq!(error.charged_attempts, 1, "{asked} at {at}");
        }
    }
}

#[tokio::test]
async fn s11_5_a_drop_inside_the_head_of_an_answer_is_a_failure() {
    for asked in wires() {
        let head = stream_head(asked.said.stream).into_bytes();
        for at in 0..head.len() {
            let error = asked.once(sent([head[..at].to_vec()])).await.unwrap_err();
            assert!(error.is_retryable(), "{asked} at {at}: {error}");
            assert_eq!(error.kind, Kind::Unreachable, "{asked} at {at}: {error}");
        }
    }
}

#[tokio::test]
async fn s11_3_a_garbage_event_ends_an_answer_and_what_came_is_kept() {
    for asked in wires() {
        let begun = [asked.said.begun(), asked.said.garbage.clone(), asked.said.rest()].concat();
        let came = asked.once(asked.stream(&begun)).await.unwrap();
        let said = (came.text(), came.incomplete);
        assert_eq!(said, ("Hé".to_owned(), Some(Incomplete::Cut)), "{asked}");
        let error = asked.once(asked.stream(&asked.said.garbage)).await.unwrap_err();
        assert_eq!(error.kind, Kind::Malformed, "{asked}: {error}");
    }
}

#[tokio::test]
async fn s11_5_a_page_in_place_of_a_stream_is_shown_and_not_asked_for_again() {
    let page = "<html><head><title>Sign in to the network</title></head></html>";
    for asked in wires() {
        for content_type in ["text/html", asked.said.stream] {
            let page = crate::server::answer("200 OK", content_type, "", page);
            let (server, clock) = (Server::start([Act::Close(page)]).await, Turned::new());
            let model = asked.at(&server, &clock).build().unwrap();
            let error = asked.ask(&model, Some(&mut ignore)).await.unwrap_err();
            assert_eq!(error.kind, Kind::Malformed, "{asked}, {content_type}: {error}");
            assert!(error.message.contains("Sign in to"), "{asked}, {content_type}: {error}");
            assert_eq!(server.requests().len(), 1, "{asked}, {content_type}");
        }
    }
}

#[tokio::test]
async fn s11_3_a_stream_without_its_end_is_incomplete() {
    for asked in wires() {
        let said = [asked.said.begun(), asked.said.text[1].clone()].concat();
        let came = asked.once(asked.stream(&said)).await.unwrap();
        assert_eq!(came.text(), "Héllo", "{asked}");
        assert_eq!(came.incomplete, Some(Incomplete::NoEnd), "{asked}");
    }
}

#[tokio::test]
async fn s11_3_an_error_in_mid_stream_keeps_what_came_and_is_repeated() {
    for asked in wires() {
        let failed = || asked.stream(&[asked.said.begun(), asked.said.error.clone()].concat());
        let came = asked.once(failed()).await.unwrap();
        let said = (came.text(), came.incomplete);
        assert_eq!(said, ("Hé".to_owned(), Some(Incomplete::Cut)), "{asked}");
        assert_eq!(came.raw["error"]["message"], "busy", "{asked}");
        let acts = [failed(), asked.stream(&asked.said.whole())];
        let (server, clock) = (Server::start(acts).await, Turned::new());
        let model = asked.at(&server, &clock).build().unwrap();
        let came = asked.ask(&model, Some(&mut ignore)).await.unwrap();
        assert_eq!((came.text().as_str(), came.charged_attempts), ("Héllo", 1), "{asked}");
    }
}

#[tokio::test]
async fn a_stream_in_chunks_of_one_byte_is_read() {
    for asked in wires() {
        let chunks = asked.said.whole().iter().flat_map(|byte| chunk_of(&[*byte])).collect();
        let head = stream_head(asked.said.stream).into_bytes();
        let came = asked.once(sent([head, chunks, END.into()])).await.unwrap();
        assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{asked}");
    }
}

#[tokio::test]
async fn s11_3_a_chunk_that_is_none_ends_an_answer_and_what_came_is_kept() {
    for asked in wires() {
        for chunk in ["a lot\r\n", "fffffffffffffffff\r\n", "-1\r\n"] {
            let came = asked.once(sent([asked.open(&asked.said.begun()), chunk.into()])).await;
            let came = came.unwrap();
            let said = (came.text(), came.incomplete);
            assert_eq!(said, ("Hé".to_owned(), Some(Incomplete::Cut)), "{asked}, {chunk:?}");
        }
    }
}

#[tokio::test]
async fn half_a_character_at_the_end_of_a_piece_is_joined() {
    for asked in wires() {
        let whole = asked.said.whole();
        let at = whole.windows(2).position(|two| two == "é".as_bytes()).unwrap() + 1;
        let came = asked.once(in_two(&asked, &whole, at)).await.unwrap();
        assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{asked}");
    }
}

/// A stream that comes in two pieces.
fn in_two(asked: &Asked, whole: &[u8], at: usize) -> Act {
    let (first, second) = whole.split_at(at);
    let last = [chunk_of(second), END.into()].concat();
    let pieces = vec![stream_head(asked.said.stream).into_bytes(), chunk_of(first), last];
    Act::Pieces(pieces, Arc::new(Semaphore::new(3)))
}
