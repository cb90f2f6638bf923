//! Whole bodies: cut, silent, or in pieces.

use std::sync::Arc;
use std::time::Duration;

use legwork_models::remote::{Piece, Traffic};
use legwork_models::retry::Policy;
use legwork_port::model::Kind;

use super::{Asked, sent, stalled, wires};
use crate::clock::Turned;
use crate::server::{END, Server, answer, chunk_of, stream_head};

/// The head of a body whose length it says, and the body.
fn measured(asked: &Asked) -> (usize, Vec<u8>) {
    let body = asked.said.body.to_string();
    let whole = answer("200 OK", "application/json", "", &body).into_bytes();
    (whole.len() - body.len(), whole)
}

/// The head of a body in two chunks, and the body.
fn chunked(asked: &Asked) -> (usize, Vec<u8>) {
    let (head, body) = (stream_head("application/json"), asked.said.body.to_string().into_bytes());
    let (first, second) = body.split_at(body.len() / 2);
    let whole = [head.as_bytes(), &chunk_of(first), &chunk_of(second), END.as_bytes()].concat();
    (head.len(), whole)
}

#[tokio::test]
async fn s11_5_a_body_that_is_dropped_after_any_byte_is_a_failure() {
    for asked in wires() {
        for (head, whole) in [measured(&asked), chunked(&asked)] {
            for at in head..whole.len() {
                let error = asked.once_whole(sent([whole[..at].to_vec()])).await.unwrap_err();
                assert_eq!(error.kind, Kind::Unreachable, "{asked} at {at}: {error}");
                assert_eq!(error.charged_attempts, 1, "{asked} at {at}: {error}");
            }
            let came = asked.once_whole(sent([whole])).await.unwrap();
            assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{asked}");
        }
    }
}

#[tokio::test]
async fn a_body_in_chunks_of_one_byte_is_read() {
    for asked in wires() {
        let body = asked.said.body.to_string().into_bytes();
        let chunks = body.iter().flat_map(|byte| chunk_of(&[*byte])).collect();
        let head = stream_head("application/json").into_bytes();
        let came = asked.once_whole(sent([head, chunks, END.into()])).await.unwrap();
        assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{asked}");
    }
}

#[tokio::test]
async fn s13_10_silence_inside_a_body_is_cut() {
    for asked in wires() {
        for (head, whole) in [measured(&asked), chunked(&asked)] {
            let half = whole[..head + (whole.len() - head) / 2].to_vec();
            let (server, clock) = (Server::start([stalled(half)]).await, Turned::new());
            let idle = Arc::clone(&clock);
            // The time passes once there is some of the body.
            let passing = move |traffic: &Traffic<'_>| {
                if let Piece::Bytes(_) = traffic.piece {
                    let clock = Arc::clone(&idle);
                    tokio::spawn(async move { clock.pass(Duration::from_secs(120)).await });
                }
            };
            let model = asked.at(&server, &clock).traffic(passing).retry(Policy::never());
            let error = asked.ask(&model.build().unwrap(), None).await.unwrap_err();
            assert_eq!(error.kind, Kind::Timeout, "{asked}: {error}");
            assert!(error.message.contains("within 120s"), "{asked}: {error}");
        }
    }
}
