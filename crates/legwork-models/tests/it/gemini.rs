//! The Gemini API: recorded answers, requests, and one sent back from the other.

use legwork_core::{ModelRequest, Response};
use legwork_models::answer::{Ended, Reply, Streaming, Unreadable};
use legwork_models::{Api, HttpModel, gemini};
use legwork_port::Delta;
use serde_json::{Value, json};

use crate::answers::Seen;

mod answers;
mod http;
mod oracle;
mod pieces;
mod recordings;
mod requests;
mod returned;
mod schema;

/// A model that is never asked.
fn model(name: &str) -> HttpModel {
    gemini::generate_content("http://127.0.0.1:1/v1beta", name).build().unwrap()
}

/// The body of a request.
fn sent(model: &HttpModel, request: &ModelRequest) -> Value {
    serde_json::from_slice(&model.body(request, Streaming::No).unwrap()).unwrap()
}

/// Reads an answer that comes in pieces.
fn read<'a>(
    status: u16,
    content_type: &str,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    ended: Ended,
) -> (Result<Response, Unreadable>, Seen) {
    let reply = Reply::new(Api::GenerateContent, status, Some(content_type), Streaming::Yes);
    let (mut reply, mut seen) = (reply.from_provider("google"), Seen::default());
    for piece in pieces {
        reply.push(piece, &mut |delta: Delta<'_>| seen.take(delta));
    }
    (reply.finish(ended), seen)
}

/// Reads a body of one candidate.
fn candidate(candidate: &Value) -> Response {
    let body = json!({"candidates": [candidate], "responseId": "r"}).to_string();
    read(200, "application/json", [body.as_bytes()], Ended::Whole).0.unwrap()
}
