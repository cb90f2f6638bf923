//! The scripted server over real connections.

use std::io::Read as _;

use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Usage};
use legwork_port::model::{self, Kind};
use legwork_testkit::{Gate, Script, Server, Turn};
use serde_json::{Value, json};

use crate::client::{self, ask, ask_streamed, get, parse, post, send};

fn hi() -> Value {
    ask(json!([{"role": "user", "content": "hi"}]))
}

/// The arguments of the first call, joined from its deltas.
fn arguments(events: &[Value]) -> String {
    let path = "/choices/0/delta/tool_calls/0/function/arguments";
    events.iter().filter_map(|event| event.pointer(path)?.as_str()).collect()
}

fn content(events: &[Value]) -> String {
    let piece =
        |event: &Value| Some(event.pointer("/choices/0/delta/content")?.as_str()?.to_owned());
    events.iter().filter_map(piece).collect()
}

#[test]
fn answers_in_one_piece() {
    let server = Server::start([Turn::text("42").with_thinking("hm")]).unwrap();
    let answer = post(&server, &hi());
    assert_eq!((answer.status, answer.whole), (200, true));
    let body = answer.json();
    assert_eq!(body["choices"][0]["message"]["content"], "42");
    assert_eq!(body["choices"][0]["message"]["reasoning_content"], "hm");
    assert_eq!(body["choices"][0]["finish_reason"], "stop");
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    for (key, value) in usage.as_object().unwrap() {
        assert_eq!(&body["usage"][key], value);
    }
}

#[test]
fn chosen_ids_and_a_missing_usage_go_over_the_wire() {
    let two = || Turn::calls([("add", json!({})), ("add", json!({}))]);
    let server = Server::start([two().with_call_ids(["same", "same"]).without_usage()]).unwrap();
    let body = post(&server, &hi()).json();
    assert_eq!(body["usage"], Value::Null);
    let calls = &body["choices"][0]["message"]["tool_calls"];
    assert_eq!((&calls[0]["id"], &calls[1]["id"]), (&json!("same"), &json!("same")));
    let mut streamed = ask_streamed();
    streamed["stream_options"] = json!({"include_usage": true});
    let events = post(&server, &streamed).events();
    assert!(events.iter().all(|event| event["usage"] == Value::Null));
    let path = "/choices/0/delta/tool_calls/0/id";
    let ids: Vec<_> = events.iter().filter_map(|event| event.pointer(path)).collect();
    assert_eq!(ids, ["same", "same"]);
}

#[test]
fn a_turn_is_chosen_by_the_answers_in_the_request() {
    let calls = Turn::calls([("add", json!({"a": 1})), ("sub", json!({"b": 2}))]);
    let server = Server::start([calls, Turn::text("done")]).unwrap();
    let first = post(&server, &hi()).json();
    let calls = &first["choices"][0]["message"]["tool_calls"];
    assert_eq!(calls[0]["id"], "call_0_0");
    assert_eq!(calls[1]["id"], "call_0_1");
    assert_eq!(calls[1]["function"], json!({"name": "sub", "arguments": "{\"b\":2}"}));
    assert_eq!(first["choices"][0]["message"]["content"], Value::Null);
    let again = post(&server, &hi()).json();
    assert_eq!(again, first);

    let second = ask(json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": null, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_0_0", "content": "3"},
        {"role": "tool", "tool_call_id": "call_0_1", "content": "4"},
    ]));
    assert_eq!(post(&server, &second).json()["choices"][0]["message"]["content"], "done");

    let asked = &server.requests()[2].asked;
    assert_eq!((asked.turn(), asked.last()), (1, "4"));
    assert_eq!((asked.instructions.as_str(), asked.results()), ("Be brief.", vec!["3", "4"]));
    assert_eq!(asked.messages[0].text, "hi");
    assert_eq!(asked.messages[1].calls[1].name.as_ref(), "sub");
}

#[test]
fn a_script_may_look_at_the_request() {
    let script = Script::from_fn(|asked| Turn::text(format!("you said {}", asked.last())));
    let server = Server::start(script).unwrap();
    assert_eq!(post(&server, &hi()).json()["choices"][0]["message"]["content"], "you said hi");
}

#[test]
fn streams_text_in_pieces_and_ends() {
    let text = "Grüße aus dem Süden, wo alle Wörter länger sind.";
    let server = Server::start([Turn::text(text)]).unwrap();
    let answer = post(&server, &ask_streamed());
    assert!(answer.headers.contains("content-type: text/event-stream"));
    assert!(answer.whole && answer.text().ends_with("data: [DONE]\n\n"));
    let events = answer.events();
    assert_eq!(content(&events), text);
    assert!(events.len() > 4, "{events:#?}");
    assert!(events.iter().all(|event| event.get("usage").is_none()));
    assert_eq!(events.last().unwrap()["choices"][0]["finish_reason"], "stop");
}

#[test]
fn streams_usage_when_asked_for() {
    let usage = Usage { input: 7, output: 3, cache_read: 2, reasoning: 1, ..Usage::default() };
    let server = Server::start([Turn::text("x").with_usage(usage)]).unwrap();
    let mut request = ask_streamed();
    request["stream_options"] = json!({"include_usage": true});
    let last = post(&server, &request).events().pop().unwrap();
    assert_eq!(last["choices"], json!([]));
    assert_eq!(last["usage"]["prompt_tokens"], 7);
    assert_eq!(last["usage"]["prompt_tokens_details"]["cached_tokens"], 2);
    assert_eq!(last["usage"]["completion_tokens_details"]["reasoning_tokens"], 1);
}

#[test]
fn streams_calls_in_pieces() {
    let turn = Turn::calls([("a", json!({"x": "a long argument value"})), ("b", json!({}))]);
    let server = Server::start([turn.with_text("Let me see.")]).unwrap();
    let events = post(&server, &ask_streamed()).events();
    assert_eq!(content(&events), "Let me see.");
    let of = |index: u64| {
        let calls = events.iter().filter_map(|e| e.pointer("/choices/0/delta/tool_calls/0"));
        let mine = calls.filter(|call| call["index"] == index);
        mine.filter_map(|call| call["function"]["arguments"].as_str()).collect::<Vec<_>>()
    };
    assert_eq!(of(0).concat(), "{\"x\":\"a long argument value\"}");
    assert_eq!(of(1).concat(), "{}");
    assert!(of(0).len() > 2);
    assert_eq!(events.last().unwrap()["choices"][0]["finish_reason"], "tool_calls");
}

#[test]
fn arguments_need_not_be_json() {
    let server = Server::start([Turn::raw_call("add", "{not json")]).unwrap();
    assert_eq!(arguments(&post(&server, &ask_streamed()).events()), "{not json");
    let whole = post(&server, &hi()).json();
    let call = &whole["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(call["function"]["arguments"], "{not json");
}

#[test]
fn a_cut_stream_breaks_off_in_the_arguments() {
    let turn = Turn::call("add", json!({"a": 1234567, "b": 7654321}));
    let server = Server::start([turn.incomplete(Incomplete::Cut)]).unwrap();
    let answer = post(&server, &ask_streamed());
    assert!(!answer.whole);
    assert_eq!(arguments(&answer.events()), "{\"a\":1234567");
    assert!(!answer.text().contains("finish_reason\":\"") && !answer.text().contains("[DONE]"));
    let whole = post(&server, &hi());
    assert!(!whole.whole && serde_json::from_slice::<Value>(&whole.body).is_err());
}

#[test]
fn a_stream_without_its_end_is_closed_properly() {
    let server = Server::start([Turn::text("half").incomplete(Incomplete::NoEnd)]).unwrap();
    let answer = post(&server, &ask_streamed());
    assert!(answer.whole);
    assert_eq!(content(&answer.events()), "half");
    assert!(!answer.text().contains("[DONE]"));
}

#[test]
fn a_length_limit_ends_inside_the_arguments() {
    let turn = Turn::call("add", json!({"a": 1234567, "b": 7654321}));
    let server = Server::start([turn.incomplete(Incomplete::LengthInCall)]).unwrap();
    let events = post(&server, &ask_streamed()).events();
    assert_eq!(arguments(&events), "{\"a\":1234567");
    assert_eq!(events.last().unwrap()["choices"][0]["finish_reason"], "length");
    let whole = post(&server, &hi()).json();
    let call = &whole["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(call["function"]["arguments"], "{\"a\":1234567");
}

#[test]
fn refusals_come_first_and_then_the_answer() {
    let slow = Turn::status(429).with_retry_after("7").with_message("slow down");
    let server = Server::start([Turn::text("ok").after([slow, Turn::status(500)])]).unwrap();
    let first = post(&server, &hi());
    assert_eq!(first.status, 429);
    assert!(first.headers.contains("retry-after: 7"));
    assert_eq!(first.json()["error"]["message"], "slow down");
    assert_eq!(post(&server, &hi()).status, 500);
    assert_eq!(post(&server, &hi()).status, 200);
    assert_eq!(post(&server, &hi()).status, 200);
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn errors_by_kind_get_their_status() {
    let check = |kind, status, code: &str| {
        let server = Server::start([Turn::error(model::Error::new(kind, "no"))]).unwrap();
        let answer = post(&server, &hi());
        assert_eq!(answer.status, status, "{kind:?}");
        assert_eq!(answer.json()["error"]["code"].as_str().unwrap_or_default(), code);
    };
    check(Kind::Unauthorized, 401, "invalid_api_key");
    check(Kind::UnknownModel, 404, "model_not_found");
    check(Kind::ContextOverflow, 400, "context_length_exceeded");
    check(Kind::RateLimited, 429, "rate_limit_exceeded");
    check(Kind::Server, 500, "");
    check(Kind::BadRequest, 400, "");
}

#[test]
fn html_may_come_where_json_should() {
    let server = Server::start([Turn::html()]).unwrap();
    let answer = post(&server, &hi());
    assert!(answer.headers.contains("content-type: text/html"));
    assert!(answer.text().starts_with("<html>"));
}

#[test]
fn a_connection_may_be_closed_without_an_answer() {
    let server = Server::start([Turn::disconnect()]).unwrap();
    let mut stream = send(&server, "POST /v1/chat/completions", &hi().to_string());
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    assert!(parse(&bytes).is_none(), "{bytes:?}");
}

#[test]
fn a_stalled_turn_never_answers_and_harms_no_other() {
    let server = Server::start([Turn::text("ok").after([Turn::stall()])]).unwrap();
    let stalled = send(&server, "POST /v1/chat/completions", &hi().to_string());
    server.received_blocking(1);
    assert_eq!(post(&server, &hi()).status, 200);
    stalled.set_nonblocking(true).unwrap();
    let nothing = (&stalled).read(&mut [0; 1]).unwrap_err();
    assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn a_held_turn_answers_when_released() {
    let server = Server::start([Turn::text("first")]).unwrap();
    server.hold(0);
    let held = send(&server, "POST /v1/chat/completions", &hi().to_string());
    server.arrived_blocking(0);
    held.set_nonblocking(true).unwrap();
    assert!((&held).read(&mut [0; 1]).is_err());
    held.set_nonblocking(false).unwrap();
    server.release(0);
    assert_eq!(client::read(held).status, 200);
    assert_eq!(post(&server, &hi()).status, 200);
}

#[test]
fn a_client_may_die_while_it_is_held() {
    let server = Server::start([Turn::text("first")]).unwrap();
    server.hold(0);
    let client = send(&server, "POST /v1/chat/completions", &hi().to_string());
    server.arrived_blocking(0);
    drop(client);
    server.release(0);
    assert_eq!(post(&server, &hi()).json()["choices"][0]["message"]["content"], "first");
}

#[tokio::test]
async fn async_tests_wait_without_blocking() {
    let server = Server::start([Turn::text("first")]).unwrap();
    let client = send(&server, "POST /v1/chat/completions", &hi().to_string());
    server.arrived(0).await;
    server.received(1).await;
    assert_eq!(client::read(client).status, 200);
}

#[test]
fn a_stream_halts_at_a_gate_with_its_first_piece_out() {
    let gate = Gate::new();
    let server = Server::start([Turn::text("one two three four").halting(&gate)]).unwrap();
    let mut stream = send(&server, "POST /v1/chat/completions", &ask_streamed().to_string());
    gate.arrived_blocking(1);
    let mut bytes = Vec::new();
    while parse(&bytes).is_none_or(|answer| content(&answer.events()).is_empty()) {
        let mut some = [0; 64];
        let count = stream.read(&mut some).unwrap();
        bytes.extend_from_slice(&some[..count]);
    }
    let so_far = content(&parse(&bytes).unwrap().events());
    assert!("one two three four".starts_with(&so_far) && so_far.len() < 18, "{so_far}");
    gate.open();
    stream.read_to_end(&mut bytes).unwrap();
    assert_eq!(content(&parse(&bytes).unwrap().events()), "one two three four");
}

#[test]
fn a_turn_behind_a_gate_begins_when_it_opens() {
    let gate = Gate::new();
    let server = Server::start([Turn::text("late").behind(&gate)]).unwrap();
    let client = send(&server, "POST /v1/chat/completions", &hi().to_string());
    gate.arrived_blocking(1);
    gate.open();
    assert_eq!(client::read(client).status, 200);
}

#[test]
fn lists_its_model_and_serves_no_other() {
    let script = Script::new([Turn::text("x")]).only_model("tiny");
    let server = Server::start(script).unwrap();
    assert_eq!(get(&server, "/v1/models").json()["data"][0]["id"], "tiny");
    let refused = post(&server, &hi());
    assert_eq!(
        (refused.status, &refused.json()["error"]["code"]),
        (404, &json!("model_not_found"))
    );
}

#[test]
fn a_wrong_key_is_refused() {
    let server = Server::start(Script::new([Turn::text("x")]).only_key("sk-right")).unwrap();
    assert_eq!(post(&server, &hi()).status, 401);
    let head = "POST /v1/chat/completions HTTP/1.1\r\nauthorization: Bearer sk-right\r\nx-x: y";
    // The head's own version makes the one that `send` adds part of a header.
    let answer = client::read(send(&server, head, &hi().to_string()));
    assert_eq!(answer.status, 200);
    assert_eq!(server.requests()[1].headers["authorization"], "Bearer sk-right");
}

#[test]
fn bytes_that_are_not_a_request_are_refused() {
    let server = Server::start([Turn::text("x").with_finish(FinishReason::Length)]).unwrap();
    let broken = client::read(send(&server, "POST /v1/chat/completions", "{oops"));
    assert_eq!(broken.status, 400);
    assert_eq!(get(&server, "/v1/nothing").status, 404);
    let past = ask(json!([{"role": "assistant", "content": "x"}]));
    let answer = post(&server, &past);
    assert_eq!(answer.status, 400);
    assert!(answer.json()["error"]["message"].as_str().unwrap().contains("1 turns"));
    assert_eq!(post(&server, &hi()).json()["choices"][0]["finish_reason"], "length");
}

#[test]
fn a_task_of_five_megabytes_is_taken() {
    let server = Server::start([Turn::text("long")]).unwrap();
    let request = ask(json!([{"role": "user", "content": "x".repeat(5_000_000)}]));
    assert_eq!(post(&server, &request).status, 200);
    assert_eq!(server.requests()[0].asked.last().len(), 5_000_000);
}

#[test]
fn a_server_leaves_and_comes_back_with_what_it_knew() {
    let server = Server::start([Turn::text("one"), Turn::text("two")]).unwrap();
    server.leave().unwrap();
    let refused = std::net::TcpStream::connect(server.address()).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    server.leave().unwrap();
    server.come_back().unwrap();
    server.come_back().unwrap();
    let answer = post(&server, &hi());
    assert_eq!(answer.status, 200);
    assert_eq!(server.requests().len(), 1);
}
