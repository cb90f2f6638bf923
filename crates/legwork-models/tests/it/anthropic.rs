//! Anthropic's Messages: recorded answers, requests by the official schema.

use std::sync::Arc;

use legwork_core::Response;
use legwork_core::inference::{ModelRequest, ModelSettings, ThinkingLevel, ToolChoice};
use legwork_core::message::{
    Author, File, Image, MediaSource, Message, Part, ProviderData, ResultPart, Role, Thinking,
    ToolResult,
};
use legwork_core::tool::{ToolCall, ToolSpec, ToolSpecs};
use legwork_models::answer::{Ended, Streaming, Unreadable};
use legwork_models::{Api, HttpModel, anthropic};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::answers::{read_as, summary};
use crate::oracle::{Row, rows};
use crate::traffic::question;

fn recorded() -> Vec<Row> {
    rows("anthropic")
}

fn replay<'a>(row: &Row, pieces: impl IntoIterator<Item = &'a [u8]>) -> Value {
    said(&read_as(Api::Messages, row.status, &row.content_type, pieces, Ended::Whole).0)
}

fn said(read: &Result<Response, Unreadable>) -> Value {
    let mut said = summary(read);
    for call in said.get_mut("calls").and_then(Value::as_array_mut).into_iter().flatten() {
        call[2] = parsed(&call[2]);
    }
    said
}

/// Arguments as a value, for the white space in them is nobody's.
fn parsed(arguments: &Value) -> Value {
    let text = arguments.as_str().map(|text| serde_json::from_str(text).unwrap_or_default());
    text.unwrap_or_else(|| arguments.clone())
}

/// What an answer means, worked out over values.
fn expected(row: &Row) -> Value {
    let body: Value = match row.streaming {
        true => merged(&row.body),
        false => serde_json::from_str(&row.body).unwrap(),
    };
    if let Some(error) = body.get("error") {
        return json!({"error": {
            "status": row.status, "code": null, "message": error["message"]}});
    }
    let blocks = body["content"].as_array().unwrap();
    let all = |kind: &str| -> String {
        let of = blocks.iter().filter(|block| block["type"] == kind);
        of.map(|block| block[kind].as_str().unwrap()).collect()
    };
    let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
    let calls = calls.map(|call| json!([call["id"], call["name"], parsed(&call["input"])]));
    let usage = &body["usage"];
    let count = |key: &str| usage[key].as_u64().unwrap_or(0);
    let cached = count("cache_creation_input_tokens") + count("cache_read_input_tokens");
    json!({
        "text": all("text"),
        "thinking": all("thinking"),
        "refusal": "",
        "calls": calls.collect::<Vec<_>>(),
        "finish": match body["stop_reason"].as_str() {
            Some("end_turn" | "stop_sequence") => "stop",
            Some("tool_use") => "tool_calls",
            Some("max_tokens") => "length",
            Some("refusal") => "content_filter",
            Some(other) => other,
            None => "missing",
        },
        "usage": [count("input_tokens") + cached, count("output_tokens")],
    })
}

/// The message that the events of a stream come to; the input of a call is its text.
fn merged(stream: &str) -> Value {
    let mut message = Value::Null;
    let mut blocks: Vec<Map<String, Value>> = Vec::new();
    for line in stream.lines().filter_map(|line| line.strip_prefix("data:")) {
        let event: Value = serde_json::from_str(line).unwrap();
        match event["type"].as_str().unwrap() {
            "message_start" => message = event["message"].clone(),
            "content_block_start" => {
                let mut block = event["content_block"].as_object().unwrap().clone();
                if block["type"] == "tool_use" {
                    block.insert("input".to_owned(), json!(""));
                }
                blocks.push(block);
            }
            "content_block_delta" => {
                let (block, delta) = (blocks.last_mut().unwrap(), &event["delta"]);
                let (key, more) = match delta["type"].as_str().unwrap() {
                    "text_delta" => ("text", &delta["text"]),
                    "thinking_delta" => ("thinking", &delta["thinking"]),
                    "input_json_delta" => ("input", &delta["partial_json"]),
                    _ => continue,
                };
                let said = block.get(key).and_then(Value::as_str).unwrap_or_default();
                block.insert(key.to_owned(), json!(said.to_owned() + more.as_str().unwrap()));
            }
            "message_delta" => {
                message["stop_reason"] = event["delta"]["stop_reason"].clone();
                for (key, value) in event["usage"].as_object().unwrap() {
                    message["usage"][key] = value.clone();
                }
            }
            _ => {}
        }
    }
    message["content"] = blocks.into();
    message
}

#[test]
fn each_recorded_answer_comes_to_its_message_whole_and_in_bytes() {
    for row in recorded() {
        let bytes = row.body.as_bytes();
        assert_eq!(replay(&row, [bytes]), expected(&row), "{}", row.name);
        assert_eq!(replay(&row, bytes.chunks(1)), expected(&row), "{} in bytes", row.name);
    }
}

#[test]
fn s11_3_a_recorded_stream_cut_anywhere_is_whole_or_incomplete() {
    for row in recorded().iter().filter(|row| row.streaming && row.body.len() < 9_000) {
        let (whole, bytes) = (expected(row), row.body.as_bytes());
        for at in 0..bytes.len() {
            let read = read_as(Api::Messages, 200, &row.content_type, [&bytes[..at]], Ended::Cut);
            let said = said(&read.0);
            let Ok(response) = read.0 else { continue };
            let same = ["text", "thinking", "calls", "finish"].iter().all(|k| said[k] == whole[k]);
            assert!(response.incomplete.is_some() || same, "{} cut at {at}: {said}", row.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn recorded_streams_survive_any_cut(cuts in prop::collection::vec(1usize..97, 1..40)) {
        for row in recorded().iter().filter(|row| row.streaming) {
            let (mut rest, mut pieces) = (row.body.as_bytes(), Vec::new());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() { break }
                let (piece, after) = rest.split_at((*cut).min(rest.len()));
                pieces.push(piece);
                rest = after;
            }
            prop_assert_eq!(replay(row, pieces), expected(row), "{}", row.name);
        }
    }
}

fn model() -> HttpModel {
    anthropic::messages("https://api.anthropic.com/v1", "claude-sonnet-4-6").build().unwrap()
}

fn sent(model: &HttpModel, request: &ModelRequest) -> Value {
    serde_json::from_slice(&model.body(request, Streaming::No).unwrap()).unwrap()
}

/// Checks a body against the official schema; true where there is none.
fn is_valid(body: &Value) -> bool {
    crate::is_valid(Api::Messages, body)
}

fn tools() -> Arc<ToolSpecs> {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    Arc::new(ToolSpecs::new(vec![Arc::new(ToolSpec::new("add", "Adds.", schema))]))
}

fn call(id: &str, arguments: &str) -> Part {
    Part::ToolCall(Arc::new(ToolCall::new(id, "add", arguments)))
}

fn result(id: &str, parts: Vec<ResultPart>) -> Message {
    let result = ToolResult { parts, ..ToolResult::new(id, "add", "") };
    Message::tool_result(result)
}

fn thinking(text: &str, provider: &str, data: Value) -> Part {
    let provider = Some(ProviderData::new(provider, data));
    Part::Thinking(Thinking { text: text.to_owned(), provider, ..Thinking::default() })
}

fn by_model(parts: Vec<Part>) -> Message {
    Message::assistant(parts).by(Author::Model("anthropic:claude-sonnet-4-6".into()))
}

fn with(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    messages.into_iter().fold(question("Hi?"), ModelRequest::with_message)
}

#[test]
fn a_file_of_text_is_a_document_that_the_model_reads() {
    let file = |name: Option<&str>, media_type: &str, data: &str| {
        Part::File(File {
            name: name.map(str::to_owned),
            media_type: media_type.to_owned(),
            source: MediaSource::Base64(data.to_owned()),
        })
    };
    let parts = vec![
        file(Some("a.txt"), "text/plain; charset=utf-8", "aMOpIQ=="),
        file(None, "text/csv", "YSxi"),
        file(None, "application/json", "e30="),
        // No text, though it says so.
        file(Some("b.txt"), "text/plain", "//79"),
        file(Some("c.txt"), "text/plain", "***"),
    ];
    let request = with([Message::new(Role::User, parts)]);
    let body = sent(&model(), &request);
    assert!(is_valid(&body));
    let text = |data: &str| json!({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": data}});
    let mut titled = text("hé!");
    titled["title"] = json!("a.txt");
    let said = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(
        body["messages"][0]["content"],
        json!([
            said("Hi?"),
            titled,
            text("a,b"),
            text("{}"),
            said("[file b.txt: text/plain]"),
            said("[file c.txt: text/plain]")
        ])
    );
}

#[test]
fn a_conversation_with_everything_is_valid_and_says_it() {
    let image = |source| Image { media_type: "image/png".to_owned(), source };
    let pdf = File {
        name: Some("a.pdf".to_owned()),
        media_type: "application/pdf".to_owned(),
        source: MediaSource::Base64("aGk=".to_owned()),
    };
    let sound = File { name: None, media_type: "audio/wav".to_owned(), ..pdf.clone() };
    let mut request = with([
        Message::new(
            Role::User,
            vec![
                Part::Image(image(MediaSource::Base64("aGk=".to_owned()))),
                Part::Image(image(MediaSource::Url("https://x/y.png".to_owned()))),
                Part::File(pdf),
                Part::File(sound),
                Part::text(" "),
            ],
        ),
        by_model(vec![
            thinking("Hm.", "anthropic", json!({"signature": "s1"})),
            thinking("", "anthropic", json!({"redacted": "xyz"})),
            Part::text("One."),
            call("c1", r#"{"a": 1}"#),
            call("c2", ""),
            Part::Other(
                json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
                "input": {"query": "x"}}),
            ),
        ]),
        result("c1", vec![ResultPart::Text("1".to_owned()), ResultPart::Json(json!(2))]),
        result("c2", vec![ResultPart::Image(image(MediaSource::Base64("aGk=".to_owned())))]),
        Message::user("And?"),
        by_model(vec![call("c3", "{broken")]),
        Message::tool_result(ToolResult { is_error: true, ..ToolResult::new("c3", "add", "no") }),
    ]);
    request.instructions = "Be careful.".into();
    request.tools = tools();
    let body = sent(&model(), &request);
    assert!(is_valid(&body));
    let text = |text: &str| json!({"type": "text", "text": text});
    let base64 = |kind: &str, media: &str, source: &str| json!({"type": kind, "source": {"type": source, "media_type": media, "data": "aGk="}});
    let mut document = base64("document", "application/pdf", "base64");
    document["title"] = json!("a.pdf");
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [
                text("Hi?"), base64("image", "image/png", "base64"),
                {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}},
                document, text("[file without a name: audio/wav]")]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "Hm.", "signature": "s1"},
                {"type": "redacted_thinking", "data": "xyz"},
                text("One."),
                {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}},
                {"type": "tool_use", "id": "c2", "name": "add", "input": {}},
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
                 "input": {"query": "x"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "1\n2"},
                {"type": "tool_result", "tool_use_id": "c2",
                 "content": [base64("image", "image/png", "base64")]},
                text("And?")]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "c3", "name": "add", "input": {"arguments": "{broken"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c3", "content": "no", "is_error": true}]},
        ])
    );
    assert_eq!((&body["system"], &body["max_tokens"]), (&json!("Be careful."), &json!(64_000)));
    assert_eq!(body["tools"][0]["input_schema"]["type"], "object");
}

#[test]
fn s11_2_thinking_and_parts_of_another_provider_are_dropped_or_become_text() {
    let foreign = || thinking("Hm.", "openai", json!({"signature": "s1"}));
    let own = Part::Other(json!({"type": "reasoning"}));
    let request = with([
        Message::assistant(vec![foreign(), own.clone(), Part::text("One.")])
            .by(Author::Model("openai:gpt-5".into())),
        Message::user("And?"),
        Message::assistant(vec![foreign(), own]).by(Author::Model("openai:gpt-5".into())),
        Message::user("So?"),
        Message::assistant(vec![]),
    ]);
    let body = sent(&model(), &request);
    assert!(is_valid(&body));
    let said = |at: usize| &body["messages"][at]["content"];
    assert_eq!(*said(1), json!([{"type": "text", "text": "One."}]));
    assert_eq!(*said(3), json!([{"type": "text", "text": "<thinking>\nHm.\n</thinking>"}]));
    assert_eq!(*said(5), json!([{"type": "text", "text": "(empty)"}]));
    assert!(!body.to_string().contains("s1") && !body.to_string().contains("reasoning"));
}

#[test]
fn s11_2_ids_of_another_provider_fit_in_the_call_and_its_result() {
    let id = "functions.add:0|fc_123";
    let request = with([
        Message::assistant(vec![call(id, "{}")]),
        result(id, vec![ResultPart::Text("1".to_owned())]),
    ]);
    let body = sent(&model(), &request);
    let called = body["messages"][1]["content"][0]["id"].as_str().unwrap();
    assert_eq!(body["messages"][2]["content"][0]["tool_use_id"], called);
    assert!(called.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{called}");
}

#[test]
fn s9_1_turns_alternate_over_any_length_and_old_ones_are_encoded_once() {
    let mut request = question("Hi?");
    let model = model();
    for number in 0..90 {
        let (one, other) = (format!("a{number}"), format!("b{number}"));
        let results = [&one, &other].map(|id| result(id, vec![ResultPart::Text("1".to_owned())]));
        let calls = Message::assistant(vec![call(&one, "{}"), call(&other, "{}")]);
        request = std::iter::once(calls).chain(results).fold(request, ModelRequest::with_message);
        let body = sent(&model, &request);
        let messages = body["messages"].as_array().unwrap();
        for (at, message) in messages.iter().enumerate() {
            let role = if at % 2 == 0 { "user" } else { "assistant" };
            assert_eq!(message["role"], role, "message {at} of {number}");
            let blocks = message["content"].as_array().unwrap().len();
            assert_eq!(blocks, if at == 0 { 1 } else { 2 });
        }
    }
    let kept = request
        .messages()
        .iter()
        .all(|message| format!("{message:?}").contains("Encoded(messages anthropic"));
    assert!(kept);
}

#[test]
fn each_setting_is_valid_and_reaches_its_field() {
    let choices = [
        (ToolChoice::None, json!({"type": "none"})),
        (ToolChoice::Auto, json!({"type": "auto", "disable_parallel_tool_use": true})),
        (ToolChoice::Required, json!({"type": "any", "disable_parallel_tool_use": true})),
        (
            ToolChoice::Named("add".to_owned()),
            json!({"type": "tool", "name": "add", "disable_parallel_tool_use": true}),
        ),
    ];
    for (choice, field) in choices {
        let mut request = question("Hi?");
        request.settings = Arc::new(ModelSettings {
            temperature: Some(0.5),
            top_p: Some(0.9),
            stop: vec!["END".to_owned()],
            parallel_calls: Some(false),
            extra: Map::from_iter([("top_k".to_owned(), json!(3))]),
            ..ModelSettings::default()
        });
        request.max_output = Some(1_024);
        request.tools = tools();
        request.tool_choice = choice;
        request.response_format = Some(Arc::new(json!({"title": "T", "type": "object"})));
        let body = sent(&model(), &request);
        assert!(is_valid(&body));
        assert_eq!(body["tool_choice"], field);
        assert_eq!((&body["top_k"], &body["max_tokens"]), (&json!(3), &json!(1_024)));
        assert_eq!((&body["temperature"], &body["top_p"]), (&json!(0.5), &json!(0.9)));
        assert_eq!(body["stop_sequences"], json!(["END"]));
        assert_eq!(
            body["output_config"]["format"]["schema"],
            json!({"title": "T", "type": "object"})
        );
    }
}

#[test]
fn thinking_is_an_effort_for_new_models_and_tokens_for_old_ones() {
    let old = anthropic::messages("https://x", "claude-sonnet-4-5").build().unwrap();
    let level = |model: &HttpModel, level: &str, most: Option<u64>| {
        let mut request = question("Hi?");
        let thinking = Some(ThinkingLevel::from(level));
        request.settings = Arc::new(ModelSettings { thinking, ..ModelSettings::default() });
        request.max_output = most;
        let body = model.body(&request, Streaming::No)?;
        let body = serde_json::from_slice::<Value>(&body).unwrap();
        assert!(is_valid(&body));
        Ok::<_, legwork_port::model::Error>((
            body["thinking"].clone(),
            body["output_config"].clone(),
        ))
    };
    let adaptive = json!({"type": "adaptive"});
    let effort = |effort: &str| json!({"effort": effort});
    assert_eq!(level(&model(), "high", None).unwrap(), (adaptive.clone(), effort("high")));
    assert_eq!(level(&model(), "minimal", None).unwrap(), (adaptive, effort("low")));
    let tokens = |tokens: u64| (json!({"type": "enabled", "budget_tokens": tokens}), Value::Null);
    assert_eq!(level(&model(), "3000", None).unwrap(), tokens(3_000));
    assert_eq!(level(&old, "medium", None).unwrap(), tokens(8_192));
    assert_eq!(level(&old, "high", Some(4_000)).unwrap(), tokens(2_000));
    assert_eq!(level(&old, "off", None).unwrap().0, json!({"type": "disabled"}));
    let refused = |level: Result<_, legwork_port::model::Error>| level.unwrap_err().message;
    let said = refused(level(&old, "low", Some(1_000)).map(drop));
    assert!(said.contains("raise the limit on the answer"), "{said}");
    assert!(refused(level(&old, "much", None).map(drop)).contains("`much`"));
}

#[test]
fn what_the_api_cannot_do_is_refused_with_advice() {
    let refused = |settings: ModelSettings, choice: ToolChoice| {
        let mut request = question("Hi?");
        (request.settings, request.tools, request.tool_choice) =
            (Arc::new(settings), tools(), choice);
        model().body(&request, Streaming::No).unwrap_err().message
    };
    let seed = ModelSettings { seed: Some(1), ..ModelSettings::default() };
    assert!(refused(seed, ToolChoice::Auto).contains("has no seed"));
    let thinking =
        || ModelSettings { thinking: Some(ThinkingLevel::High), ..ModelSettings::default() };
    let warm = ModelSettings { temperature: Some(0.1), ..thinking() };
    assert!(refused(warm, ToolChoice::Auto).contains("beside a temperature"));
    assert!(refused(thinking(), ToolChoice::Required).contains("set `thinking` to off"));
}

#[test]
fn s11_2_what_came_signed_goes_back_as_it_came() {
    let mut blocks = 0;
    for row in recorded().iter().filter(|row| row.status == 200 && !row.streaming) {
        let (read, _) =
            read_as(Api::Messages, 200, &row.content_type, [row.body.as_bytes()], Ended::Whole);
        let message = Arc::unwrap_or_clone(read.unwrap().message);
        let message = message.by(Author::Model("test:claude".into()));
        let provider = anthropic::messages("https://x", "claude").provider("test");
        let body = sent(&provider.build().unwrap(), &with([message]));
        let back = body["messages"][1]["content"].as_array().unwrap();
        let came: Value = serde_json::from_str(&row.body).unwrap();
        let came = came["content"].as_array().unwrap().iter().filter(|block| {
            // A blank text is refused, and so not sent.
            !block["text"].as_str().is_some_and(|text| text.trim().is_empty())
        });
        for (at, block) in came.enumerate() {
            let mut block = block.clone();
            // Some fields of an answer are none of a request.
            if block["citations"].is_null() {
                block.as_object_mut().unwrap().remove("citations");
            }
            assert_eq!(back[at], block, "{}", row.name);
            blocks += 1;
        }
    }
    println!("{blocks} blocks went back");
}

#[test]
fn s11_2_thinking_that_was_streamed_goes_back_with_its_whole_signature() {
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let events = [
        json!({"type": "message_start", "message": {"type": "message", "model": "m", "id": "msg_1",
            "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        delta(json!({"type": "thinking_delta", "thinking": "Hm, "})),
        delta(json!({"type": "thinking_delta", "thinking": "four."})),
        delta(json!({"type": "signature_delta", "signature": "c2lnbm"})),
        delta(json!({"type": "signature_delta", "signature": "F0dXJl"})),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1,
            "content_block": {"type": "text", "text": "4"}}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ];
    let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let (read, _) =
        read_as(Api::Messages, 200, "text/event-stream", [stream.as_bytes()], Ended::Whole);
    let message = Arc::unwrap_or_clone(read.unwrap().message);
    let message = message.by(Author::Model("test:claude".into()));
    let provider = anthropic::messages("https://x", "claude").provider("test");
    let body = sent(&provider.build().unwrap(), &with([message]));
    let back = body["messages"][1]["content"].clone();
    let came = json!([
        {"type": "thinking", "thinking": "Hm, four.", "signature": "c2lnbmF0dXJl"},
        {"type": "text", "text": "4"},
    ]);
    assert_eq!(back, came);
}

#[test]
fn s11_3_an_error_inside_a_stream_is_an_error() {
    let begun = r#"data: {"type":"message_start","message":{"type":"message","content":[]}}"#;
    let error = r#"data: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#;
    let stream = format!("{begun}\n\nevent: error\n{error}\n\n");
    let (read, _) =
        read_as(Api::Messages, 200, "text/event-stream", [stream.as_bytes()], Ended::Whole);
    let said = summary(&read);
    assert_eq!(said, json!({"error": {"status": 529, "code": null, "message": "busy"}}));
}

#[test]
fn s11_4_unknown_events_blocks_and_reasons_are_kept_or_passed_over() {
    let events = [
        json!({"type": "message_start", "message": {"type": "message", "model": "m", "id": "msg_1",
            "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}, "novel": 7}}),
        json!({"type": "novelty", "index": 3}),
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "novel_block", "x": [1]}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "novel_delta"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "novel_reason"},
            "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ];
    let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let (read, _) =
        read_as(Api::Messages, 200, "text/event-stream", [stream.as_bytes()], Ended::Whole);
    let response = read.unwrap();
    assert_eq!(response.finish.as_str(), "novel_reason");
    let [Part::Other(block)] = &response.message.parts[..] else { panic!("{response:?}") };
    assert_eq!((&block["type"], &block["x"]), (&json!("novel_block"), &json!([1])));
    assert_eq!(response.raw["novel"], 7);
    assert_eq!((response.usage.unwrap().output, response.incomplete), (9, None));
    assert_eq!((response.id.as_deref(), response.model.as_deref()), (Some("msg_1"), Some("m")));
}
