//! Models over TLS: HTTP/2, and tunnels through proxies.

#[path = "../../../tests/it/clock.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod clock;
mod http2;
#[path = "../../../tests/it/proxy.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod proxy;
#[path = "../../../tests/it/recorder.rs"]
mod recorder;
mod tls;
mod tunnels;

use std::sync::Arc;

use legwork_core::{Message, ModelRequest, ModelSettings, Transcript};
use serde_json::json;

use super::{Builder, HttpModel};
use crate::openai;
use tls::Server;

/// A request with one question.
fn question() -> ModelRequest {
    let empty = Transcript::default();
    let request = ModelRequest::new(empty.settled().unwrap(), Arc::new(ModelSettings::default()));
    request.with_message(Message::user("Hi?"))
}

/// A model at a server, which it trusts.
fn model_at(server: &Server, set: impl FnOnce(Builder) -> Builder) -> HttpModel {
    let chat = set(openai::chat(&server.base_url, "m").api_key("sk-secret")).build().unwrap();
    HttpModel { client: chat.client.trusting(server.roots.clone()), ..chat }
}

/// A whole body that says something.
fn body(text: &str) -> String {
    let message = json!({"role": "assistant", "content": text});
    json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).to_string()
}

/// A part of a stream that says something.
fn said(text: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": text}}]}))
}

/// The end of a stream.
fn ended() -> String {
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    format!("data: {end}\n\ndata: [DONE]\n\n")
}
