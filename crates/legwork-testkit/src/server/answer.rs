//! From a request to its answer.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::{Method, Request, Response};
use legwork_port::model::{self, Kind};
use serde_json::{Value, json};

use super::body::{self, Body, Piece};
use super::{Received, Shared, Source, wire};
use crate::asked::{Asked, at};
use crate::recording::Replay;
use crate::script::{Player, Script, What};

/// An answer before it is HTTP.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) content_type: String,
    pub(super) retry_after: Option<String>,
    pub(super) pieces: Vec<Piece>,
}

impl Reply {
    pub(super) fn whole(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        Self::pieces(status, content_type, vec![Piece::Bytes(body.into())])
    }

    pub(super) fn pieces(status: u16, content_type: &str, pieces: Vec<Piece>) -> Self {
        Self { status, content_type: content_type.to_owned(), retry_after: None, pieces }
    }

    fn refusal(status: u16, message: &str, code: Option<&str>) -> Self {
        let kind = if status < 500 { "invalid_request_error" } else { "server_error" };
        let error = json!({"message": message, "type": kind, "param": null, "code": code});
        Self::whole(status, "application/json", json!({"error": error}).to_string())
    }
}

/// Answers one request; an error closes the connection.
pub(super) async fn answer(
    request: Request<Incoming>,
    shared: Arc<Shared>,
) -> io::Result<Response<Body>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let path = head.uri.path();
    let is_replay = matches!(shared.source, Source::Replay(_));
    let reply = match head.method {
        Method::GET if path.ends_with("/models") => models(&shared.source),
        Method::POST if is_replay || path.ends_with("/chat/completions") => {
            let received = match receive(&head, &body) {
                Ok(received) => received,
                Err(error) => return http(Reply::refusal(400, &error.to_string(), None)),
            };
            complete(received, &shared).await?
        }
        _ => Reply::refusal(404, &format!("nothing is served at {path}"), None),
    };
    http(reply)
}

fn receive(head: &hyper::http::request::Parts, body: &[u8]) -> serde_json::Result<Received> {
    let body: Value = serde_json::from_slice(body)?;
    let text =
        |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into();
    let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value)));
    Ok(Received {
        path: head.uri.path().to_owned(),
        headers: headers.collect(),
        asked: Asked::of_chat(&body),
        body,
    })
}

async fn complete(received: Received, shared: &Shared) -> io::Result<Reply> {
    let asked = received.asked.clone();
    let refused = match &shared.source {
        Source::Script(player) => refused(&player.script, &received),
        Source::Replay(_) => None,
    };
    let with_usage = at(&received.body, "/stream_options/include_usage") == true;
    let hold = shared.log.change(|log| {
        log.requests.push(received);
        log.holds.get(&asked.turn()).cloned()
    });
    if let Some(gate) = hold {
        gate.pass().await;
    }
    match (&shared.source, refused) {
        (_, Some(reply)) => Ok(reply),
        (Source::Script(player), None) => play(player, &asked, with_usage).await,
        (Source::Replay(replay), None) => Ok(next_row(replay)),
    }
}

fn refused(script: &Script, received: &Received) -> Option<Reply> {
    let given = received.headers.get("authorization").map(String::as_str);
    let wanted = script.key.as_ref().map(|key| format!("Bearer {key}"));
    if wanted.is_some() && given != wanted.as_deref() {
        return Some(Reply::refusal(401, "Incorrect API key provided.", Some("invalid_api_key")));
    }
    let asked = &received.asked.model;
    if script.model.as_ref().is_some_and(|model| model != asked) {
        let message = format!("The model `{asked}` does not exist.");
        return Some(Reply::refusal(404, &message, Some("model_not_found")));
    }
    None
}

async fn play(player: &Player, asked: &Asked, with_usage: bool) -> io::Result<Reply> {
    let turn = player.turn(asked);
    if let Some(gate) = &turn.behind {
        gate.pass().await;
    }
    match turn.what {
        What::Answer(answer) if asked.stream => Ok(wire::streamed(&answer, asked, with_usage)),
        What::Answer(answer) => Ok(wire::unstreamed(&answer, asked)),
        What::Html(page) => Ok(Reply::whole(200, "text/html", page)),
        What::Stall => std::future::pending().await,
        What::Disconnect => Err(closed()),
        What::Refuse { error, retry_after } => {
            let reply = refuse(&error).await?;
            Ok(Reply { retry_after, ..reply })
        }
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the script closes the connection")
}

async fn refuse(error: &model::Error) -> io::Result<Reply> {
    let code = error.code.as_deref();
    let reply = |status, code| Ok(Reply::refusal(status, &error.message, code));
    match (error.status, error.kind) {
        (Some(status), _) => reply(status, code),
        (None, Kind::Unreachable) => Err(closed()),
        (None, Kind::Timeout) => std::future::pending().await,
        (None, Kind::Malformed) => Ok(Reply::whole(200, "text/html", error.message.clone())),
        (None, Kind::Unauthorized) => reply(401, code.or(Some("invalid_api_key"))),
        (None, Kind::UnknownModel) => reply(404, code.or(Some("model_not_found"))),
        (None, Kind::ContextOverflow) => reply(400, code.or(Some("context_length_exceeded"))),
        (None, Kind::RateLimited) => reply(429, code.or(Some("rate_limit_exceeded"))),
        (None, Kind::Server) => reply(500, code),
        (None, _) => reply(400, code),
    }
}

fn next_row(replay: &Replay) -> Reply {
    let Some(row) = replay.next() else {
        return Reply::refusal(400, "the recording has no further row", None);
    };
    let json = "application/json".to_owned();
    let content_type = row.response_headers.get("content-type").unwrap_or(&json);
    let pieces = replay.pieces(row.response_body.as_bytes());
    let piece = |bytes| Piece::Bytes(Bytes::copy_from_slice(bytes));
    let mut reply =
        Reply::pieces(row.status, content_type, pieces.into_iter().map(piece).collect());
    reply.retry_after = row.response_headers.get("retry-after").cloned();
    reply
}

fn models(source: &Source) -> Reply {
    let name = match source {
        Source::Script(player) => player.script.model.as_deref().unwrap_or("scripted"),
        Source::Replay(_) => "replay",
    };
    let model = json!({"id": name, "object": "model", "created": 0, "owned_by": "legwork"});
    let list = json!({"object": "list", "data": [model]});
    Reply::whole(200, "application/json", list.to_string())
}

fn http(reply: Reply) -> io::Result<Response<Body>> {
    let mut builder =
        Response::builder().status(reply.status).header("content-type", reply.content_type);
    if let Some(value) = reply.retry_after {
        builder = builder.header("retry-after", value);
    }
    builder.body(body::body(reply.pieces)).map_err(io::Error::other)
}
