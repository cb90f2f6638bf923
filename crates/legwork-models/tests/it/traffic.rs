//! Requests over real HTTP that go well.

use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Message, ModelRequest, ModelSettings, Transcript};
use legwork_models::{Builder, openai};
use legwork_port::{Delta, Model};
use serde_json::json;

use crate::answers::{Seen, delta, end, events};
use crate::clock::Turned;
use crate::server::{Act, END, Server, answer, chunk, open_stream};

/// A request with one question.
pub(crate) fn question(text: &str) -> ModelRequest {
    let empty = Transcript::default();
    let request = ModelRequest::new(empty.settled().unwrap(), Arc::new(ModelSettings::default()));
    request.with_message(Message::user(text))
}

/// A model at a server, by a clock.
pub(crate) fn model_at(server: &Server, clock: &Arc<Turned>) -> Builder {
    let clock: Arc<Turned> = Arc::clone(clock);
    openai::chat(&server.base_url, "m").api_key("sk-secret").clock(clock)
}

/// A whole body that says something.
pub(crate) fn body(text: &str) -> String {
    let body = json!({
        "id": "c1", "object": "chat.completion", "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text},
                     "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}});
    answer("200 OK", "application/json", "", &body.to_string())
}

/// A whole stream that says something.
pub(crate) fn stream(text: &str) -> String {
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}});
    let said = events(&[delta(json!({"content": text})), end("stop"), usage]);
    format!("{}{}{END}", open_stream(&said), chunk("data: [DONE]\n\n"))
}

#[tokio::test]
async fn an_answer_in_one_piece_comes_back() {
    let server = Server::start([Act::Close(body("Hello."))]).await;
    let model =
        model_at(&server, &Turned::new()).header("x-team", "a").field("seed", 7).build().unwrap();
    let response = model.infer(question("Hi?"), None).await.unwrap();
    assert_eq!(response.text(), "Hello.");
    assert_eq!(response.finish, FinishReason::Stop);
    assert_eq!(response.usage.unwrap().total(), 5);
    assert_eq!(response.id.as_deref(), Some("c1"));
    let requests = server.requests();
    let (head, sent) = requests[0].split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1"));
    assert!(head.contains("authorization: Bearer sk-secret") && head.contains("x-team: a"));
    let sent: serde_json::Value = serde_json::from_str(sent).unwrap();
    let messages = json!([{"role": "user", "content": "Hi?"}]);
    assert_eq!(sent, json!({"model": "m", "messages": messages, "seed": 7}));
}

#[tokio::test]
async fn a_streamed_answer_is_shown_and_comes_back() {
    let server = Server::start([Act::Close(stream("Hello."))]).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    let mut seen = Seen::default();
    let mut show = |delta: Delta<'_>| seen.take(delta);
    let response = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
    assert_eq!(seen.text, "Hello.");
    assert_eq!(response.text(), "Hello.");
    assert_eq!(response.incomplete, None);
    assert_eq!(response.usage.unwrap().input, 3);
    assert!(server.requests()[0].contains(r#""stream_options":{"include_usage":true}"#));
}

#[tokio::test]
async fn a_connection_is_used_again_after_a_stream_and_after_an_error() {
    let refused = answer("400 Bad Request", "application/json", "", r#"{"error":"no"}"#);
    let acts = [stream("1"), stream("2"), refused, body("3")].map(Act::Keep);
    let server = Server::start(acts).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    let mut show = |_: Delta<'_>| ControlFlow::Continue(());
    for text in ["1", "2"] {
        let response = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
        assert_eq!(response.text(), text);
    }
    model.infer(question("Hi?"), None).await.unwrap_err();
    assert_eq!(model.infer(question("Hi?"), None).await.unwrap().text(), "3");
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced_without_a_retry() {
    let server = Server::start([body("1"), body("2")].map(Act::Close)).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    assert_eq!(model.infer(question("Hi?"), None).await.unwrap().text(), "1");
    server.hung_up().await;
    // The runtime looks at its sockets when all tasks have yielded.
    tokio::task::yield_now().await;
    let response = model.infer(question("Hi?"), None).await.unwrap();
    assert_eq!((response.text().as_str(), response.charged_attempts), ("2", 0));
    assert_eq!((server.connections(), server.requests().len()), (2, 2));
}

#[tokio::test]
async fn inferences_at_the_same_time_have_connections_of_their_own() {
    let server = Server::start([body("1"), body("2"), body("3")].map(Act::Keep)).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    let ask = || model.infer(question("Hi?"), None);
    let (one, other) = tokio::join!(ask(), ask());
    let mut texts = [one.unwrap().text(), other.unwrap().text()];
    texts.sort();
    assert_eq!(texts, ["1", "2"]);
    assert_eq!(ask().await.unwrap().text(), "3");
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let server = Server::start([Act::Close(body("Hello."))]).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    let mut show = |_: Delta<'_>| ControlFlow::Continue(());
    let response = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hello.", None));
}

#[tokio::test]
async fn s5_3_a_stream_is_cut_where_its_taker_breaks_it() {
    let said = events(&[delta(json!({"content": "one "})), delta(json!({"content": "two"}))]);
    let server = Server::start([Act::Stall(open_stream(&said))]).await;
    let model = model_at(&server, &Turned::new()).build().unwrap();
    let mut show = |_: Delta<'_>| ControlFlow::Break(());
    let response = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
    assert_eq!(response.text(), "one ");
    assert_eq!(response.incomplete, Some(Incomplete::OverReserve));
    server.hung_up().await;
}

#[tokio::test]
async fn dropping_the_inference_drops_the_connection() {
    let server = Server::start([Act::Stall(String::new())]).await;
    let clock = Turned::new();
    let model = model_at(&server, &clock).build().unwrap();
    let asking = tokio::spawn(async move { model.infer(question("Hi?"), None).await });
    clock.pass(std::time::Duration::ZERO).await;
    while server.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    asking.abort();
    server.hung_up().await;
}
