//! Answers that their provider paused are continued within the inference.

use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Message, ModelRequest, Part};
use legwork_models::{HttpModel, anthropic};
use legwork_port::Model;
use legwork_port::model::{Delta, Deltas};
use serde_json::{Value, json};

use crate::answers::Noted;
use crate::server::{Act, Server, answer};
use crate::shared;

const SEARCH: &str = "web_search_20250305";

fn model(server: &Server) -> HttpModel {
    let tools = json!([{"type": SEARCH, "name": "web_search"}]);
    let builder = anthropic::messages(&server.base_url, "claude-sonnet-4-6").field("tools", tools);
    builder.build().unwrap()
}

fn question() -> ModelRequest {
    ModelRequest::blank(Arc::default()).with_message(Message::user("Hi?"))
}

fn whole(body: &Value) -> Act {
    Act::Keep(answer("200 OK", "application/json", "", &body.to_string()))
}

fn part(words: &str, stop: &str) -> Value {
    json!({"type": "message", "id": "msg_1", "role": "assistant", "model": "claude-sonnet-4-6",
        "content": [
            {"type": "text", "text": words},
            {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": words}},
        ],
        "stop_reason": stop, "usage": {"input_tokens": 10, "output_tokens": 3}})
}

/// The bodies of the requests that came.
fn bodies(server: &Server) -> Vec<Value> {
    let body =
        |request: String| serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    server.requests().into_iter().map(body).collect()
}

#[tokio::test]
async fn a_paused_answer_is_sent_back_as_it_came_until_it_is_whole() {
    let acts = [part("one", "pause_turn"), part("two", "pause_turn"), part("three", "end_turn")];
    let server = Server::start(acts.iter().map(whole)).await;
    let response = model(&server).infer(question(), None).await.unwrap();
    assert_eq!(response.finish, FinishReason::Stop);
    let texts: Vec<_> = response.message.parts.iter().filter_map(Part::as_text).collect();
    assert_eq!(texts, ["one", "two", "three"]);
    assert_eq!(response.message.parts.len(), 6);
    let usage = response.usage.unwrap();
    assert_eq!((usage.input, usage.output), (30, 9));
    let bodies = bodies(&server);
    assert_eq!(bodies.len(), 3);
    let came = [&acts[0]["content"], &acts[1]["content"]].map(|it| it.as_array().unwrap().clone());
    assert_eq!(bodies[0]["messages"].as_array().unwrap().len(), 1);
    assert_eq!(bodies[1]["messages"][1], json!({"role": "assistant", "content": came[0]}));
    assert_eq!(bodies[2]["messages"][1], json!({"role": "assistant", "content": came.concat()}));
    for body in &bodies {
        assert_eq!(body["tools"], json!([{"type": SEARCH, "name": "web_search"}]));
    }
}

#[tokio::test]
async fn a_recorded_pause_goes_back_as_the_official_client_sent_it() {
    let Some(file) = shared("recordings/anthropic.jsonl") else { return };
    let text = String::from_utf8(file).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let name = "models/test_anthropic/test_pause_turn_web_search_vcr";
    let rows: Vec<_> = rows.filter(|row| row["name"] == name).collect();
    assert_eq!(rows.len(), 2);
    let bodies_of: Vec<Value> = rows
        .iter()
        .map(|row| serde_json::from_str(row["response_body"].as_str().unwrap()).unwrap())
        .collect();
    let server = Server::start(bodies_of.iter().map(whole)).await;
    let response = model(&server).infer(question(), None).await.unwrap();
    assert_eq!(response.finish, FinishReason::Stop);
    let usage = response.usage.unwrap();
    assert_eq!((usage.input, usage.output), (401_468 + 494_549, 792 + 1_245));
    let sent = bodies(&server)[1]["messages"][1]["content"].as_array().unwrap().clone();
    let wanted = rows[1]["request"]["messages"][1]["content"].as_array().unwrap();
    let kinds = |blocks: &[Value]| blocks.iter().map(|it| it["type"].clone()).collect::<Vec<_>>();
    assert_eq!(kinds(&sent), kinds(wanted));
    for (sent, wanted) in sent.iter().zip(wanted) {
        assert_eq!(sent["input"], wanted["input"]);
        assert_eq!(sent["signature"], wanted["signature"]);
    }
}

#[tokio::test]
async fn a_pause_is_left_alone_where_the_server_runs_no_tools_and_has_an_end() {
    let server = Server::start([whole(&part("one", "pause_turn"))]).await;
    let plain = anthropic::messages(&server.base_url, "claude-sonnet-4-6").build().unwrap();
    let response = plain.infer(question(), None).await.unwrap();
    assert_eq!(response.finish, FinishReason::Other("pause_turn".into()));
    let endless = Server::start((0..40).map(|_| whole(&part("on", "pause_turn")))).await;
    let response = model(&endless).infer(question(), None).await.unwrap();
    assert_eq!(response.incomplete, Some(Incomplete::Cut));
    let why = response.raw["error"]["message"].as_str().unwrap();
    assert!(why.contains("paused its answer more than 16 times"), "{why}");
    assert_eq!(endless.requests().len(), 17);
}

#[tokio::test]
async fn what_came_is_kept_where_a_further_part_fails() {
    let refused =
        r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}"#;
    let refused = Act::Keep(answer("400 Bad Request", "application/json", "", refused));
    let server = Server::start([whole(&part("one", "pause_turn")), refused]).await;
    let response = model(&server).infer(question(), None).await.unwrap();
    assert_eq!(response.text(), "one");
    // It is not the whole answer, and says why.
    assert_eq!(response.incomplete, Some(Incomplete::Cut));
    assert_eq!(response.raw["error"]["status"], 400);
    assert_eq!(response.usage.unwrap().input, 10);
    let bad = Server::start([Act::Keep(answer("400 Bad Request", "text/plain", "", "no"))]).await;
    assert_eq!(model(&bad).infer(question(), None).await.unwrap_err().status, Some(400));
}

/// Allows no further request.
struct Miser;

impl Deltas for Miser {
    fn streams(&self) -> bool {
        false
    }

    fn delta(&mut self, _: Delta<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn continuing(&mut self) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[tokio::test]
async fn s5_3_a_further_part_is_asked_for_only_if_limits_allow_it() {
    let server = Server::start((0..4).map(|_| whole(&part("on", "pause_turn")))).await;
    let response = model(&server).infer(question(), Some(&mut Miser)).await.unwrap();
    assert_eq!(server.requests().len(), 1);
    assert_eq!((response.text().as_str(), &response.incomplete), ("on", &Some(Incomplete::Cut)));
    let why = response.raw["error"]["message"].as_str().unwrap();
    assert!(why.contains("the limits allow no further part"), "{why}");
}

fn streamed(words: &str, stop: &str) -> Act {
    let events = [
        json!({"type": "message_start", "message": {"type": "message", "id": "m", "content": [],
            "usage": {"input_tokens": 1, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": words}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop},
            "usage": {"output_tokens": 2}}),
        json!({"type": "message_stop"}),
    ];
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    Act::Keep(answer("200 OK", "text/event-stream", "", &events))
}

#[tokio::test]
async fn a_stream_goes_on_over_a_pause_and_repeats_what_was_said_after_a_failed_attempt() {
    let busy = Act::Keep(answer("503 Service Unavailable", "text/plain", "", "busy"));
    let acts = [streamed("one ", "pause_turn"), busy, streamed("two", "end_turn")];
    let server = Server::start(acts).await;
    let mut noted = Noted::default();
    let response = model(&server).infer(question(), Some(&mut noted)).await.unwrap();
    let texts: Vec<_> = response.message.parts.iter().filter_map(Part::as_text).collect();
    assert_eq!(texts, ["one ", "two"]);
    assert_eq!(noted.0, "one <anew>one two");
}
