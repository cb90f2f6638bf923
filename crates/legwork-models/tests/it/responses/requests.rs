//! What is sent: valid by OpenAI's own schema, and refused where the API cannot say it.

use std::sync::Arc;

use legwork_core::inference::{ThinkingLevel, ToolChoice};
use legwork_core::message::{
    Author, File, Image, MediaSource, ProviderData, ResultPart, Text, Thinking, ToolResult,
};
use legwork_core::tool::ToolSpecs;
use legwork_core::{Message, ModelRequest, ModelSettings, Part, Role, ToolCall, ToolSpec};
use legwork_models::answer::Streaming;
use legwork_models::{Api, openai};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{is_valid, model, sent};
use crate::traffic::question;

fn tools() -> Arc<ToolSpecs> {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let spec = |name: &str| Arc::new(ToolSpec::new(name, "Adds.", schema.clone()));
    Arc::new(ToolSpecs::new(vec![spec("add"), spec("sub")]))
}

fn call(id: &str, arguments: &str) -> Part {
    Part::ToolCall(Arc::new(ToolCall::new(id.to_owned(), "add", arguments)))
}

fn result(id: &str, parts: Vec<ResultPart>) -> Part {
    Part::ToolResult(ToolResult { parts, ..ToolResult::new(id, "add", "") })
}

fn image(source: MediaSource) -> Image {
    Image { media_type: "image/png".to_owned(), source }
}

fn file(name: Option<&str>, source: MediaSource) -> File {
    let media_type = "application/pdf".to_owned();
    File { name: name.map(str::to_owned), media_type, source }
}

fn base64() -> MediaSource {
    MediaSource::Base64("aGk=".to_owned())
}

fn url() -> MediaSource {
    MediaSource::Url("https://x/y".to_owned())
}

fn of(provider: &str, data: Value) -> Option<ProviderData> {
    Some(ProviderData::new(provider, data))
}

fn input(messages: impl IntoIterator<Item = Message>) -> Vec<Value> {
    let request = messages.into_iter().fold(question("Hi?"), ModelRequest::with_message);
    sent(&model(), &request)["input"].as_array().unwrap()[1..].to_vec()
}

#[test]
fn s6_9_of_a_sound_the_model_reads_that_it_is_there() {
    let sound = File { media_type: "audio/wav".to_owned(), ..file(Some("a.wav"), base64()) };
    let call = Message::assistant(vec![call("c1", "{}")]);
    let result =
        Message::new(Role::Tool, vec![result("c1", vec![ResultPart::File(sound.clone())])]);
    let messages = [Message::new(Role::User, vec![Part::File(sound)]), call, result];
    let request = messages.into_iter().fold(question("Hi?"), ModelRequest::with_message);
    let body = sent(&model(), &request);
    assert!(is_valid(&body));
    let text = body.to_string();
    assert_eq!(text.matches("[file a.wav: audio/wav]").count(), 2, "{text}");
    assert!(!text.contains("aGk="), "{text}");
}

#[test]
fn a_conversation_with_everything_is_valid_and_says_it() {
    let parts = vec![
        Part::text("Look: \"é\"\n"),
        Part::Image(image(base64())),
        Part::Image(image(url())),
        Part::File(file(Some("a.pdf"), base64())),
        Part::File(file(None, base64())),
        Part::File(file(Some("b.pdf"), url())),
    ];
    let results = vec![
        result("c1", vec![ResultPart::Text("1".to_owned()), ResultPart::Json(json!({"b": 2}))]),
        result(
            "c2",
            vec![
                ResultPart::Text("see".to_owned()),
                ResultPart::Image(image(base64())),
                ResultPart::File(file(None, url())),
            ],
        ),
        result("c3", vec![]),
    ];
    let messages = [
        Message::new(Role::User, parts),
        Message::assistant(vec![
            Part::text("One. "),
            Part::text("Two."),
            call("c1", r#"{"a":1}"#),
            call("c2", ""),
            call("c3", "{broken"),
        ]),
        Message::new(Role::Tool, results),
        Message::assistant(vec![Part::Refusal("I won't.".into())]),
        Message::assistant(vec![]),
        Message::new(Role::User, vec![]),
    ];
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let image = |url: &str| json!({"type": "input_image", "image_url": url, "detail": "auto"});
    let data = |name: &str| {
        json!({"type": "input_file", "filename": name,
        "file_data": "data:application/pdf;base64,aGk="})
    };
    let at_url = json!({"type": "input_file", "file_url": "https://x/y"});
    let call = |id: &str, arguments: &str| {
        json!({"type": "function_call", "call_id": id,
        "name": "add", "arguments": arguments})
    };
    let result = |id: &str, output: Value| {
        json!({"type": "function_call_output", "call_id": id,
        "output": output})
    };
    let expected = json!([
        {"role": "user", "content": [text("Look: \"é\"\n"), image("data:image/png;base64,aGk="),
            image("https://x/y"), data("a.pdf"), data("file"), at_url]},
        {"role": "assistant", "content": "One. Two."},
        call("c1", r#"{"a":1}"#), call("c2", "{}"), call("c3", "{broken"),
        result("c1", json!("1\n{\"b\":2}")),
        result("c2", json!([text("see"), image("data:image/png;base64,aGk="), at_url])),
        result("c3", json!("")),
        {"role": "assistant", "content": "I won't."},
        {"role": "user", "content": ""},
    ]);
    assert_eq!(json!(input(messages)), expected);
}

#[test]
fn nothing_is_kept_at_the_server_unless_it_is_asked_for() {
    let body = sent(&model(), &question("Hi?"));
    let expected = json!({"model": "gpt-5-mini", "input": [{"role": "user", "content": "Hi?"}],
        "store": false, "include": ["reasoning.encrypted_content"], "stream": true});
    assert_eq!(body, expected);
    let keeps = openai::responses("http://x", "m").field("store", true);
    let keeps = keeps.field("include", json!([])).field("previous_response_id", "r0");
    let body = sent(&keeps.build().unwrap(), &question("Hi?"));
    assert_eq!((&body["store"], &body["include"]), (&json!(true), &json!([])));
    assert_eq!(body["previous_response_id"], "r0");
}

#[test]
fn settings_are_sent_in_the_words_of_the_wire() {
    let settings = ModelSettings {
        thinking: Some(ThinkingLevel::High),
        parallel_calls: Some(false),
        temperature: Some(0.0),
        top_p: Some(0.5),
        max_output: Some(1024),
        ..ModelSettings::default()
    };
    let mut request = ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi?"));
    request.instructions = "Be \"careful\".".into();
    request.response_format = Some(Arc::new(json!({"title": "A sum!", "type": "object"})));
    let body = sent(&model(), &request);
    assert!(body.get("parallel_tool_calls").is_none() && body.get("tools").is_none());
    assert_eq!(body["instructions"], "Be \"careful\".");
    assert_eq!(body["reasoning"], json!({"effort": "high", "summary": "auto"}));
    assert_eq!((&body["temperature"], &body["top_p"]), (&json!(0.0), &json!(0.5)));
    assert_eq!(body["max_output_tokens"], 1024);
    let format = json!({"type": "json_schema", "name": "Asum", "strict": false,
        "schema": {"title": "A sum!", "type": "object"}});
    assert_eq!(body["text"], json!({"format": format}));
    request.tools = tools();
    let body = sent(&model(), &request);
    assert_eq!(body["parallel_tool_calls"], false);
    let tool = json!({"type": "function", "name": "sub", "description": "Adds.", "strict": false,
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}});
    assert_eq!(body["tools"][1], tool);
}

#[test]
fn each_tool_choice_is_said() {
    let choices = [
        (ToolChoice::Auto, Value::Null),
        (ToolChoice::None, json!("none")),
        (ToolChoice::Required, json!("required")),
        (ToolChoice::Named("add".to_owned()), json!({"type": "function", "name": "add"})),
    ];
    for (choice, expected) in choices {
        let mut request = question("Hi?");
        request.tool_choice = choice;
        assert!(sent(&model(), &request).get("tool_choice").is_none());
        request.tools = tools();
        assert_eq!(sent(&model(), &request)["tool_choice"], expected);
    }
}

#[test]
fn fields_from_outside_add_to_what_the_settings_say() {
    let model = openai::responses("http://x", "m")
        .field("tools", json!([{"type": "web_search"}]))
        .field("text", json!({"verbosity": "low"}))
        .field("reasoning", json!({"summary": "detailed"}));
    let model = model.build().unwrap();
    let body = sent(&model, &question("Hi?"));
    assert_eq!(body["tools"], json!([{"type": "web_search"}]));
    assert_eq!(body["text"], json!({"verbosity": "low"}));
    let settings = ModelSettings {
        thinking: Some(ThinkingLevel::Off),
        extra: [("text".to_owned(), json!({"verbosity": "high"}))].into_iter().collect(),
        ..ModelSettings::default()
    };
    let mut request = ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi?"));
    request.tools = tools();
    request.response_format = Some(Arc::new(json!({"title": "response", "type": "object"})));
    let body = sent(&model, &request);
    assert_eq!(body["tools"].as_array().unwrap().len(), 3);
    assert_eq!(body["text"]["verbosity"], "high");
    assert_eq!(body["text"]["format"]["name"], "response");
    assert_eq!(body["reasoning"], json!({"effort": "none", "summary": "detailed"}));
}

#[test]
fn what_the_api_cannot_say_is_refused_with_what_to_do() {
    let refused = |settings: ModelSettings, extra: (&str, Value), says: &str| {
        let model = openai::responses("http://x", "m").field(extra.0, extra.1).build().unwrap();
        let request = ModelRequest::blank(Arc::new(settings));
        let error = model.body(&request, Streaming::No).unwrap_err();
        assert!(error.message.contains(says) && error.message.contains(": "), "{error}");
    };
    let (none, with) = (|| ("user", json!("u")), ModelSettings::default);
    refused(ModelSettings { stop: vec!["END".to_owned()], ..with() }, none(), "remove `stop`");
    refused(ModelSettings { seed: Some(1), ..with() }, none(), "remove `seed`");
    let tokens = Some(ThinkingLevel::from("12000"));
    refused(ModelSettings { thinking: tokens, ..with() }, none(), "set the thinking to");
    refused(with(), ("tools", json!("web_search")), "give a list of tools");
    let own = openai::responses("http://x", "m").field("input", json!([])).build();
    assert!(own.is_err());
    let background = openai::responses("http://x", "m").field("background", true).build().unwrap();
    assert_eq!(sent(&background, &question("Hi?"))["background"], true);
}

#[test]
fn another_level_of_thinking_is_sent_as_it_is() {
    let thinking = Some(ThinkingLevel::from("xhigh"));
    let settings = ModelSettings { thinking, ..ModelSettings::default() };
    let request = ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi?"));
    assert_eq!(sent(&model(), &request)["reasoning"]["effort"], "xhigh");
}

#[test]
fn s11_2_foreign_thinking_is_dropped_or_turned_to_text() {
    let foreign = |text: &str| {
        let provider = of("anthropic", json!({"signature": "s", "type": "reasoning"}));
        Part::Thinking(Thinking { text: text.to_owned(), id: Some("t1".to_owned()), provider })
    };
    let plain = Part::Thinking(Thinking { text: "Hm.".to_owned(), ..Thinking::default() });
    let sent = input([
        Message::assistant(vec![foreign("Hm."), Part::text("Hi.")]),
        Message::assistant(vec![foreign("Hm, "), plain.clone()]),
        Message::assistant(vec![plain, call("c1", "{}")]),
        Message::assistant(vec![foreign("")]),
    ]);
    let expected = json!([
        {"role": "assistant", "content": "Hi."},
        {"role": "assistant", "content": "Hm, Hm."},
        {"type": "function_call", "call_id": "c1", "name": "add", "arguments": "{}"},
    ]);
    assert_eq!(json!(sent), expected);
}

#[test]
fn s11_2_ids_and_data_of_other_providers_and_shapes_are_not_sent() {
    let words =
        |provider| Part::Text(Text { text: "Hi.".to_owned(), id: Some("m1".into()), provider });
    let call = |id: &str, provider| {
        Part::ToolCall(Arc::new(ToolCall { provider, ..ToolCall::new(id, "add", "{}") }))
    };
    let long = format!("toolu_{}", "x".repeat(80));
    let message = Message::assistant(vec![
        words(of("other", json!({"type": "message", "phase": "commentary"}))),
        // As Chat Completions attaches it, at the same provider.
        words(of("openai", json!({"annotations": [1]}))),
        call("a.b:1", of("other", json!({"type": "function_call", "id": "fc_1"}))),
        call(
            &long,
            of("openai", json!({"type": "custom", "extra_content": 1, "function": {"note": 1}})),
        ),
    ]);
    let results = ["a.b:1", &long].map(|id| result(id, vec![ResultPart::Text("1".to_owned())]));
    let sent = input([message, Message::new(Role::Tool, results.to_vec())]);
    assert_eq!(sent[0], json!({"role": "assistant", "content": "Hi.Hi."}));
    for (call, result) in [(&sent[1], &sent[3]), (&sent[2], &sent[4])] {
        let id = call["call_id"].as_str().unwrap();
        assert!(id.len() <= 64 && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        assert_eq!((&call["call_id"], call.as_object().unwrap().len()), (&result["call_id"], 4));
    }
    assert_ne!(sent[1]["call_id"], sent[2]["call_id"]);
}

#[test]
fn s11_2_items_that_the_provider_ran_go_back_to_it_alone() {
    let items = [
        json!({"type": "web_search_call", "id": "ws_1", "status": "completed",
            "action": {"type": "search", "query": "x"}}),
        json!({"type": "compaction", "id": "cmp_1", "encrypted_content": "gA"}),
        json!({"type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": []}),
    ];
    // Chat Completions at the same provider keeps parts that are no items.
    let chat = json!({"type": "audio", "audio": {"id": "a1"}});
    let parts = items.iter().cloned().chain([chat]).map(Part::Other).collect();
    let message = Message::assistant(parts);
    let by = |name: &str| message.clone().by(Author::Model(name.into()));
    assert_eq!(input([by("openai:gpt-5")]), items);
    for other in [by("openai-like:m"), by("anthropic:m"), message.clone()] {
        assert_eq!(input([other]), Vec::<Value>::new());
    }
}

#[test]
fn s9_1_a_message_is_encoded_once_and_kept() {
    let message = Message::assistant(vec![call("c1", "{}")]);
    let request = (0..40).fold(question("Hi?"), |request, _| request.with_message(message.clone()));
    let first = model().body(&request, Streaming::No).unwrap();
    for message in request.messages().iter() {
        let shown = format!("{message:?}");
        assert!(shown.contains("Encoded(responses openai"), "{shown}");
    }
    let longer = request.clone().with_message(Message::user("More?"));
    let second = model().body(&longer, Streaming::No).unwrap();
    let text = std::str::from_utf8(&first).unwrap();
    let shared = text.find("],\"store\"").unwrap();
    assert_eq!(second[..shared], first[..shared], "the prefix stays the same for prompt caches");
}

#[test]
fn the_api_is_known_by_its_name_and_path() {
    assert_eq!("responses".parse(), Ok(Api::Responses));
    assert_eq!(Api::of_path("/v1/responses?x=1"), Some(Api::Responses));
    assert_eq!(Api::of_path("/v1/chat/completions"), Some(Api::ChatCompletions));
    assert_eq!((model().api(), Api::Responses.title()), (Api::Responses, "Responses"));
}

fn part() -> impl Strategy<Value = Part> {
    let data = prop_oneof![
        Just(None),
        Just(of("openai", json!({"type": "message"}))),
        Just(of("openai", json!({"type": "reasoning", "encrypted_content": "gA"}))),
        Just(of("openai", json!({"type": "function_call", "id": "fc_1"}))),
        Just(of("openai", json!({"function": {"note": 1}}))),
        Just(of("other", json!({"signature": "s"}))),
    ];
    (any::<String>(), data, 0..7).prop_map(|(text, provider, kind)| {
        let words = |text: &str| Text {
            text: text.to_owned(),
            id: Some("m1".to_owned()),
            provider: provider.clone(),
        };
        match kind {
            0 => Part::Text(words(&text)),
            1 => Part::Refusal(words(&text)),
            2 => {
                let id = Some("rs_1".to_owned());
                Part::Thinking(Thinking { text, id, provider: provider.clone() })
            }
            3 => Part::ToolCall(Arc::new(ToolCall {
                provider: provider.clone(),
                ..ToolCall::new(text.clone(), "add", text)
            })),
            4 => result(&text, vec![ResultPart::Text(text.clone())]),
            5 => result(&text, vec![ResultPart::Image(image(base64()))]),
            _ => Part::File(file(Some(&text), base64())),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_request_is_valid(
        messages in proptest::collection::vec((0..3, proptest::collection::vec(part(), 0..4)), 0..6),
        instructions in any::<String>(),
    ) {
        let roles = [Role::User, Role::Assistant, Role::Tool];
        let mut request = messages
            .into_iter()
            .map(|(role, parts)| Message::new(roles[role as usize].clone(), parts))
            .fold(question("Hi?"), ModelRequest::with_message);
        request.instructions = instructions.into();
        let body = model().body(&request, Streaming::No).unwrap();
        prop_assert!(is_valid(&serde_json::from_slice(&body).unwrap()));
    }
}
