//! What is sent: valid by OpenAI's own schema, and encoded once.

use std::sync::Arc;

use legwork_core::inference::{ThinkingLevel, ToolChoice};
use legwork_core::message::{Image, MediaSource, ProviderData, Thinking, ToolResult};
use legwork_core::tool::ToolSpecs;
use legwork_core::{Message, ModelRequest, ModelSettings, Part, Role, ToolCall, ToolSpec};
use legwork_models::answer::Streaming;
use legwork_models::{Api, HttpModel, MaxTokensField, openai, providers};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::traffic::question;

fn chat() -> HttpModel {
    openai::chat("http://127.0.0.1:1/v1", "gpt-5-mini").build().unwrap()
}

fn sent(chat: &HttpModel, request: &ModelRequest, asked: Streaming) -> Value {
    let body = chat.body(request, asked).unwrap();
    serde_json::from_slice(&body).unwrap()
}

/// Checks a body against the official schema; true where there is none.
fn is_valid(body: &Value) -> bool {
    crate::is_valid(Api::ChatCompletions, body)
}

fn tools() -> Arc<ToolSpecs> {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let spec = |name: &str| Arc::new(ToolSpec::new(name, "Adds.", schema.clone()));
    Arc::new(ToolSpecs::new(vec![spec("add"), spec("sub")]))
}

fn call(id: &str, arguments: &str) -> Part {
    Part::ToolCall(Arc::new(ToolCall::new(id.to_owned(), "add", arguments)))
}

fn result(id: &str, text: &str) -> Part {
    Part::ToolResult(ToolResult::new(id, "add", text))
}

/// One of everything that a conversation can hold.
fn everything() -> ModelRequest {
    let image = |source| Part::Image(Image { media_type: "image/png".to_owned(), source });
    let thinking = Thinking { text: "Hm.".to_owned(), ..Thinking::default() };
    let messages = [
        Message::new(
            Role::User,
            vec![
                Part::text("Look: \"é\"\n".to_owned()),
                image(MediaSource::Base64("aGk=".to_owned())),
                image(MediaSource::Url("https://x/y.png".to_owned())),
            ],
        ),
        Message::assistant(vec![
            Part::Thinking(thinking),
            Part::text("One. "),
            Part::text("Two."),
            call("c1", r#"{"a":1}"#),
            call("c2", ""),
        ]),
        Message::new(Role::Tool, vec![result("c1", "1"), result("c2", "no")]),
        Message::assistant(vec![call("c3", "{broken")]),
        Message::tool_result(ToolResult { is_error: true, ..ToolResult::new("c3", "add", "") }),
        Message::assistant(vec![Part::Refusal("I won't.".into())]),
        Message::assistant(vec![]),
    ];
    messages.into_iter().fold(question("Hi?"), ModelRequest::with_message)
}

#[test]
fn a_conversation_with_everything_is_valid_and_says_it() {
    let mut request = everything();
    request.instructions = "Be \"careful\".".into();
    request.tools = tools();
    let body = sent(&chat(), &request, Streaming::Yes);
    assert!(is_valid(&body));
    let image = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "add", "arguments": arguments}});
    let result =
        |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
    let expected = json!([
        {"role": "system", "content": "Be \"careful\"."},
        {"role": "user", "content": "Hi?"},
        {"role": "user", "content": [
            {"type": "text", "text": "Look: \"é\"\n"},
            image("data:image/png;base64,aGk="), image("https://x/y.png")]},
        {"role": "assistant", "content": "One. Two.",
         "tool_calls": [call("c1", r#"{"a":1}"#), call("c2", "{}")]},
        result("c1", "1"), result("c2", "no"),
        {"role": "assistant", "content": null, "tool_calls": [call("c3", "{broken")]},
        result("c3", ""),
        {"role": "assistant", "content": "I won't."},
        {"role": "assistant", "content": ""},
    ]);
    assert_eq!(body["messages"], expected);
    assert_eq!(body["stream"], true);
    assert_eq!(body["tools"][1]["function"]["name"], "sub");
    assert!(body.get("tool_choice").is_none());
}

#[test]
fn every_setting_is_valid_and_reaches_its_field() {
    let choices = [
        (ToolChoice::None, json!("none")),
        (ToolChoice::Required, json!("required")),
        (
            ToolChoice::Named("add".to_owned()),
            json!({"type": "function", "function": {"name": "add"}}),
        ),
    ];
    for (choice, field) in choices {
        let mut request = question("Hi?");
        let extra =
            Map::from_iter([("top_p".to_owned(), json!(0.5)), ("seed".to_owned(), json!(1))]);
        let settings = ModelSettings { temperature: Some(0.0), extra, ..ModelSettings::default() };
        request.settings = Arc::new(settings);
        request.max_output = Some(1024);
        request.tools = tools();
        request.tool_choice = choice;
        request.response_format = Some(Arc::new(json!({"title": "A sum!", "type": "object"})));
        let body = sent(&chat(), &request, Streaming::No);
        assert!(is_valid(&body));
        assert_eq!(body["tool_choice"], field);
        assert_eq!((&body["temperature"], &body["top_p"]), (&json!(0.0), &json!(0.5)));
        assert_eq!(body["max_tokens"], 1024);
        assert_eq!(body["response_format"]["json_schema"]["name"], "Asum");
        assert!(body.get("stream").is_none());
    }
}

#[test]
fn openai_itself_gets_its_own_field_for_the_longest_answer() {
    let mut request = question("Hi?");
    request.max_output = Some(9);
    let official = openai::chat("https://api.openai.com/v1/", "o3").build().unwrap();
    assert_eq!(sent(&official, &request, Streaming::No)["max_completion_tokens"], 9);
    let field = MaxTokensField::MaxCompletionTokens;
    let set = openai::chat("http://x", "o3").max_tokens_field(field).build().unwrap();
    assert_eq!(sent(&set, &request, Streaming::No)["max_completion_tokens"], 9);
}

#[test]
fn what_is_set_from_outside_wins_without_doubling_a_field() {
    let mut request = question("Hi?");
    let extra = Map::from_iter([("max_tokens".to_owned(), json!(5))]);
    request.settings = Arc::new(ModelSettings { extra, ..ModelSettings::default() });
    request.max_output = Some(9);
    let body = chat().body(&request, Streaming::No).unwrap();
    let text = std::str::from_utf8(&body).unwrap();
    assert_eq!(text.matches("max_tokens").count(), 1);
    assert!(text.contains("\"max_tokens\":5"));
    let quiet = openai::chat("http://x", "m").without_stream_usage().build().unwrap();
    assert!(sent(&quiet, &question("Hi?"), Streaming::Yes).get("stream_options").is_none());
}

#[test]
fn s11_2_a_calls_provider_fields_go_back_where_they_came_from_and_nowhere_else() {
    let fields = json!({"extra_content": {"sig": "x"}, "function": {"note": 1}, "id": "no"});
    let provider = Some(ProviderData::new("openai", fields));
    let call = ToolCall { provider, ..ToolCall::new("c1", "add", "{}") };
    let request =
        question("Hi?").with_message(Message::assistant(vec![Part::ToolCall(Arc::new(call))]));
    let other = openai::chat("http://127.0.0.1:1/v1", "m").provider("groq").build().unwrap();
    let plain =
        json!({"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}});
    let expected = json!({"id": "c1", "type": "function", "extra_content": {"sig": "x"},
        "function": {"name": "add", "arguments": "{}", "note": 1}});
    // Bytes that are kept with a message for one provider are not sent to another.
    for (chat, expected) in [(&chat(), &expected), (&other, &plain), (&chat(), &expected)] {
        let sent = sent(chat, &request, Streaming::No);
        assert_eq!(sent["messages"][1]["tool_calls"][0], *expected);
    }
}

#[test]
fn settings_are_sent_in_the_words_of_the_wire() {
    let settings = ModelSettings {
        thinking: Some(ThinkingLevel::Off),
        tool_choice: Some(ToolChoice::Required),
        parallel_calls: Some(false),
        top_p: Some(0.5),
        seed: Some(-7),
        stop: vec!["END".to_owned()],
        ..ModelSettings::default()
    };
    let mut request = ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi?"));
    let body = sent(&chat(), &request, Streaming::No);
    assert_eq!((&body["reasoning_effort"], &body["top_p"]), (&json!("none"), &json!(0.5)));
    assert_eq!((&body["seed"], &body["stop"]), (&json!(-7), &json!(["END"])));
    assert!(body.get("tool_choice").is_none() && body.get("parallel_tool_calls").is_none());
    request.tools = tools();
    let body = sent(&chat(), &request, Streaming::No);
    assert_eq!(body["tool_choice"], "required");
    assert_eq!(body["parallel_tool_calls"], false);
}

/// A request to a provider with settings, as it is sent.
fn asked(provider: &str, settings: ModelSettings) -> Result<Value, String> {
    asked_of(provider, "m", settings)
}

fn asked_of(provider: &str, model: &str, settings: ModelSettings) -> Result<Value, String> {
    sent_to(provider, model, settings).map(|body| serde_json::from_str(&body).unwrap())
}

/// The same as its bytes.
fn sent_to(provider: &str, model: &str, settings: ModelSettings) -> Result<String, String> {
    let provider = providers::find(provider).unwrap();
    let model = provider.model(model, Some("http://127.0.0.1:1/v1")).unwrap().build().unwrap();
    let request = ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi?"));
    let body = model.body(&request, Streaming::No).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(body.to_vec()).unwrap())
}

#[test]
fn each_server_is_told_how_much_to_think_in_its_own_words() {
    let thinking = |provider: &str, level: ThinkingLevel| {
        asked(provider, ModelSettings { thinking: Some(level), ..ModelSettings::default() })
    };
    let tokens = |tokens: &str| ThinkingLevel::Other(tokens.into());
    let expected = [
        ("groq", ThinkingLevel::Off, json!({"reasoning_effort": "none"})),
        ("groq", ThinkingLevel::High, json!({"reasoning_effort": "high"})),
        ("groq", tokens("2048"), json!({"reasoning_effort": "low"})),
        ("openrouter", ThinkingLevel::Low, json!({"reasoning": {"effort": "low"}})),
        ("openrouter", tokens("2048"), json!({"reasoning": {"max_tokens": 2048}})),
        ("deepseek", ThinkingLevel::Off, json!({"thinking": {"type": "disabled"}})),
        ("deepseek", ThinkingLevel::Low, json!({"thinking": {"type": "enabled"}})),
        ("deepseek", tokens("0"), json!({"thinking": {"type": "disabled"}})),
        ("qwen", ThinkingLevel::Off, json!({"enable_thinking": false})),
        ("qwen", tokens("0"), json!({"enable_thinking": false})),
        ("qwen", ThinkingLevel::Low, json!({"enable_thinking": true, "thinking_budget": 2_048})),
        ("qwen", ThinkingLevel::High, json!({"enable_thinking": true, "thinking_budget": 16_384})),
        ("qwen", tokens("500"), json!({"enable_thinking": true, "thinking_budget": 500})),
    ];
    for (provider, level, fields) in expected {
        let mut body = thinking(provider, level.clone()).unwrap();
        let body = body.as_object_mut().unwrap();
        body.retain(|key, _| key != "model" && key != "messages");
        assert_eq!(json!(body), fields, "{provider} with {level:?}");
    }
    for provider in ["deepseek", "moonshot", "glm"] {
        let refused = thinking(provider, tokens("2048")).unwrap_err();
        assert!(refused.contains("set the thinking to off, or to a level"), "{refused}");
    }
}

#[test]
fn s11_11_a_server_that_keeps_a_request_only_if_asked_is_asked() {
    let mark = |provider: &str, model: &str| {
        asked_of(provider, model, ModelSettings::default()).unwrap().get("cache_control").cloned()
    };
    let ephemeral = json!({"type": "ephemeral"});
    assert_eq!(mark("anthropic", "claude-sonnet-4-6"), Some(ephemeral.clone()));
    assert_eq!(mark("openrouter", "anthropic/claude-sonnet-4.5"), Some(ephemeral));
    assert_eq!(mark("openrouter", "openai/gpt-5"), None);
    for provider in ["openai", "openai-responses", "deepseek", "qwen", "groq", "mistral"] {
        assert_eq!(mark(provider, "anthropic/claude-sonnet-4.5"), None, "{provider}");
    }
}

#[test]
fn s11_11_a_mark_from_outside_replaces_the_usual_one() {
    let hour = json!({"type": "ephemeral", "ttl": "1h"});
    for (provider, model) in
        [("anthropic", "claude-sonnet-4-6"), ("openrouter", "anthropic/claude-sonnet-4.5")]
    {
        let mut settings = ModelSettings::default();
        settings.extra.insert("cache_control".to_owned(), hour.clone());
        let text = sent_to(provider, model, settings).unwrap();
        assert_eq!(text.matches("cache_control").count(), 1, "{text}");
        let body: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(body["cache_control"], hour);
    }
}

#[test]
fn a_seed_has_the_name_that_its_server_knows() {
    let settings = || ModelSettings { seed: Some(7), ..ModelSettings::default() };
    assert_eq!(asked("groq", settings()).unwrap()["seed"], 7);
    let mistral = asked("mistral", settings()).unwrap();
    assert_eq!((&mistral["random_seed"], mistral.get("seed")), (&json!(7), None));
}

#[test]
fn s9_1_a_message_is_encoded_once_and_kept() {
    let request = everything();
    let first = chat().body(&request, Streaming::No).unwrap();
    for message in request.messages().iter() {
        assert!(format!("{message:?}").contains("Encoded(chat openai"), "{message:?}");
    }
    let longer = request.clone().with_message(Message::user("More?"));
    let second = chat().body(&longer, Streaming::No).unwrap();
    let shared = &first[..first.len() - 2];
    assert_eq!(&second[..shared.len()], shared, "the prefix stays the same for prompt caches");
}

#[test]
fn s1_11_changed_instructions_reach_the_next_body() {
    let (chat, mut request) = (chat(), question("Hi?"));
    for instructions in ["Be careful.", "Be careful.", "Be \"quick\".", "", "Be careful."] {
        request.instructions = instructions.into();
        let messages = &sent(&chat, &request, Streaming::No)["messages"];
        let system = json!({"role": "system", "content": instructions});
        let said = messages.as_array().unwrap();
        assert_eq!(said.len(), if instructions.is_empty() { 1 } else { 2 });
        assert!(instructions.is_empty() || said[0] == system, "{messages}");
    }
}

fn part() -> impl Strategy<Value = Part> {
    let image = |text: String| Image {
        media_type: "image/png".to_owned(),
        source: MediaSource::Base64(text),
    };
    prop_oneof![
        any::<String>().prop_map(Part::text),
        any::<String>().prop_map(|text| call("c", &text)),
        any::<String>().prop_map(|text| result("c", &text)),
        any::<String>().prop_map(|text| Part::Refusal(text.into())),
        any::<String>().prop_map(move |text| Part::Image(image(text))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_request_is_valid(
        messages in proptest::collection::vec((0..3, proptest::collection::vec(part(), 0..4)), 0..6),
        instructions in any::<String>(),
        streaming in any::<bool>(),
    ) {
        let roles = [Role::User, Role::Assistant, Role::Tool];
        let mut request = messages
            .into_iter()
            .map(|(role, parts)| Message::new(roles[role as usize].clone(), parts))
            .fold(question("Hi?"), ModelRequest::with_message);
        request.instructions = instructions.into();
        let asked = if streaming { Streaming::Yes } else { Streaming::No };
        prop_assert!(is_valid(&sent(&chat(), &request, asked)));
    }
}
