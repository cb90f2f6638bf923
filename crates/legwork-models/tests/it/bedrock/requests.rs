//! Requests, by the schema and by what they say.

use std::sync::Arc;

use legwork_core::inference::{ModelRequest, ModelSettings, ThinkingLevel, ToolChoice};
use legwork_core::message::{
    Author, File, Image, MediaSource, Message, Part, ProviderData, ResultPart, Role, Thinking,
    ToolResult,
};
use legwork_core::tool::{ToolCall, ToolSpec, ToolSpecs};
use legwork_models::answer::Streaming;
use legwork_models::bedrock;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::schema::is_valid;
use super::{CLAUDE, model, sent};
use crate::traffic::question;

const LLAMA: &str = "us.meta.llama4-maverick-17b-instruct-v1:0";
const NOVA: &str = "us.amazon.nova-2-lite-v1:0";

fn tools() -> Arc<ToolSpecs> {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let spec = |name: &str, said: &str| Arc::new(ToolSpec::new(name, said, schema.clone()));
    Arc::new(ToolSpecs::new(vec![spec("add", "Adds."), spec("now", "")]))
}

fn call(id: &str, arguments: &str) -> Part {
    Part::ToolCall(Arc::new(ToolCall::new(id, "add", arguments)))
}

fn result(id: &str, parts: Vec<ResultPart>) -> Message {
    Message::tool_result(ToolResult { parts, ..ToolResult::new(id, "add", "") })
}

fn thinking(text: &str, provider: &str, data: Value) -> Part {
    let provider = Some(ProviderData::new(provider, data));
    Part::Thinking(Thinking { text: text.to_owned(), provider, ..Thinking::default() })
}

fn by(model: &str, parts: Vec<Part>) -> Message {
    Message::assistant(parts).by(Author::Model(model.into()))
}

fn claude() -> String {
    format!("bedrock:{CLAUDE}")
}

fn base64() -> MediaSource {
    MediaSource::Base64("aGk=".to_owned())
}

fn image(source: MediaSource) -> Image {
    Image { media_type: "image/png".to_owned(), source }
}

fn file(name: &str, media_type: &str, source: MediaSource) -> File {
    File { name: Some(name.to_owned()), media_type: media_type.to_owned(), source }
}

fn with(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    messages.into_iter().fold(question("Hi?"), ModelRequest::with_message)
}

fn point() -> Value {
    json!({"cachePoint": {"type": "default"}})
}

#[test]
fn a_sound_is_sent_to_a_model_that_hears_it() {
    let sound = || file("a.wav", "audio/wav", base64());
    let request = with([Message::new(Role::User, vec![Part::File(sound())])]);
    let heard = json!({"audio": {"format": "wav", "source": {"bytes": "aGk="}}});
    let named = json!({"text": "[file a.wav: audio/wav]"});
    for (name, expected) in [
        ("mistral.voxtral-small-24b-2507", &heard),
        ("us.amazon.nova-2-omni-v1:0", &heard),
        ("us.amazon.nova-pro-v1:0", &named),
        (CLAUDE, &named),
    ] {
        let body = sent(&model(name), &request);
        assert!(is_valid(&body), "{name}");
        assert_eq!(body["messages"][0]["content"][1], *expected, "{name}");
    }
    // The result of a tool holds none.
    let calls = by(&claude(), vec![call("c1", "{}")]);
    let request = with([calls, result("c1", vec![ResultPart::File(sound())])]);
    let body = sent(&model("mistral.voxtral-small-24b-2507"), &request);
    assert!(is_valid(&body));
    let results = &body["messages"][2]["content"][0]["toolResult"]["content"];
    assert_eq!(*results, json!([named]));
}

#[test]
fn a_conversation_with_everything_is_valid_and_says_it() {
    let url = |url: &str| MediaSource::Url(url.to_owned());
    let mut request = with([
        Message::new(
            Role::User,
            vec![
                Part::Image(image(base64())),
                Part::Image(image(url("https://x/y.png"))),
                Part::Image(image(url("s3://bucket/y.png"))),
                Part::File(file("a.wav", "audio/wav", base64())),
                Part::text(" "),
            ],
        ),
        by(
            &claude(),
            vec![
                thinking("Hm.", "bedrock", json!({"signature": "s1"})),
                thinking("", "bedrock", json!({"redacted": "eA=="})),
                Part::text("One."),
                call("c1", r#"{"a": 1}"#),
                call("c2", ""),
                Part::Other(json!({"toolUse": {"toolUseId": "s1", "name": "search",
                    "input": {"q": "x"}, "type": "server_tool_use"}})),
            ],
        ),
        result("c1", vec![ResultPart::Text("1".to_owned()), ResultPart::Json(json!({"b": 2}))]),
        result("c2", vec![ResultPart::Image(image(base64())), ResultPart::Json(json!([1]))]),
        Message::user("And?"),
        by(&claude(), vec![call("c3", "{broken")]),
        Message::tool_result(ToolResult { is_error: true, ..ToolResult::new("c3", "add", "no") }),
    ]);
    request.instructions = "Be careful.".into();
    request.tools = tools();
    let body = sent(&model(CLAUDE), &request);
    assert!(is_valid(&body));
    let text = |text: &str| json!({"text": text});
    let picture = json!({"image": {"format": "png", "source": {"bytes": "aGk="}}});
    let called = |id: &str, input: Value| json!({"toolUse": {"toolUseId": id, "name": "add", "input": input}});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [
                text("Hi?"), picture, text("[picture: image/png at https://x/y.png]"),
                {"image": {"format": "png",
                    "source": {"s3Location": {"uri": "s3://bucket/y.png"}}}},
                text("[file a.wav: audio/wav]")]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s1"}}},
                {"reasoningContent": {"redactedContent": "eA=="}},
                text("One."), called("c1", json!({"a": 1})), called("c2", json!({})),
                {"toolUse": {"toolUseId": "s1", "name": "search", "input": {"q": "x"},
                    "type": "server_tool_use"}}]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "c1", "content": [text("1"), {"json": {"b": 2}}]}},
                {"toolResult": {"toolUseId": "c2", "content": [picture, text("[1]")]}},
                text("And?")]},
            {"role": "assistant", "content": [called("c3", json!({"arguments": "{broken"}))]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "c3", "content": [text("no")], "status": "error"}},
                point()]},
        ])
    );
    assert_eq!(body["system"], json!([text("Be careful."), point()]));
    let schema = json!({"json": request.tools.iter().next().unwrap().parameters});
    assert_eq!(
        body["toolConfig"],
        json!({"tools": [
            {"toolSpec": {"name": "add", "description": "Adds.", "inputSchema": schema}},
            {"toolSpec": {"name": "now", "inputSchema": schema}},
            point()]})
    );
}

#[test]
fn s11_11_cache_points_are_where_the_model_takes_them() {
    let points = |id: &str, request: &ModelRequest| {
        let body = sent(&model(id), request);
        assert!(is_valid(&body));
        ["system", "toolConfig", "messages"].map(|key| body[key].to_string().contains("cachePoint"))
    };
    let mut request = question("Hi?");
    (request.instructions, request.tools) = ("Be careful.".into(), tools());
    assert_eq!(points(CLAUDE, &request), [true, true, true]);
    assert_eq!(points(NOVA, &request), [true, false, true]);
    assert_eq!(points(LLAMA, &request), [false, false, false]);
    let pdf = Part::File(file("a.pdf", "application/pdf", base64()));
    let request = request.with_message(Message::new(Role::User, vec![Part::text("See."), pdf]));
    assert_eq!(points(CLAUDE, &request), [true, true, false]);
}

#[test]
fn documents_have_names_that_the_api_takes_each_its_own() {
    let pdf = |name: &str| Part::File(file(name, "application/pdf", base64()));
    let unnamed =
        Part::File(File { name: None, media_type: "text/plain".to_owned(), source: base64() });
    let long = "x".repeat(300);
    let parts =
        vec![pdf("../Q3  report_(final).v2.pdf"), pdf("a.pdf"), pdf("a.pdf"), pdf(&long), unnamed];
    let in_result = ResultPart::File(file("a.pdf", "application/pdf", base64()));
    let request = with([
        Message::new(Role::User, parts.clone()),
        by(&claude(), vec![call("c1", "{}"), call("c2", "{}")]),
        result("c1", vec![in_result.clone()]),
        result("c2", vec![in_result]),
        by(&claude(), vec![Part::text("Hm.")]),
        Message::new(Role::User, [&parts[..], &[Part::text("And?")]].concat()),
    ]);
    let body = sent(&model(CLAUDE), &request);
    assert!(is_valid(&body));
    let text = body.to_string();
    let names: Vec<_> = text
        .split("\"name\":\"")
        .skip(1)
        .filter_map(|rest| {
            let name = rest.split('"').next().unwrap();
            (name != "add").then_some(name)
        })
        .collect();
    let unique: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!((names.len(), unique.len()), (12, 12), "{names:?}");
    assert!(text.contains("\"Q3 report (final) v2 "), "{names:?}");
    // A document wants a text beside it.
    let alone = with([by(&claude(), vec![Part::text("Hm.")]), Message::new(Role::User, parts)]);
    let body = sent(&model(CLAUDE), &alone);
    assert_eq!(body["messages"][2]["content"][5]["text"], "(the documents are attached)");
}

#[test]
fn videos_are_for_models_that_see_them() {
    let video = || Part::File(file("v.mp4", "video/mp4", base64()));
    let request = with([Message::new(Role::User, vec![video()])]);
    let last = |id: &str| sent(&model(id), &request)["messages"][0]["content"][1].clone();
    assert_eq!(last(NOVA), json!({"video": {"format": "mp4", "source": {"bytes": "aGk="}}}));
    assert_eq!(last(CLAUDE), json!({"text": "[file v.mp4: video/mp4]"}));
}

#[test]
fn s11_2_thinking_and_parts_of_another_model_are_dropped_or_become_text() {
    let own = || thinking("Hm.", "bedrock", json!({"signature": "s1"}));
    let other = Part::Other(json!({"toolUse": {"toolUseId": "s1", "name": "search",
        "input": {}, "type": "server_tool_use"}}));
    let answer = |author: &str, parts: Vec<Part>, id: &str| {
        let body = sent(&model(id), &with([by(author, parts)]));
        assert!(is_valid(&body));
        body["messages"][1]["content"].clone()
    };
    let parts = || vec![own(), other.clone(), Part::text("Hi.")];
    let said = json!([{"text": "Hi."}]);
    assert_eq!(answer(&claude(), parts(), LLAMA), said);
    assert_eq!(answer("anthropic:claude-sonnet-4-6", parts(), CLAUDE), said);
    let foreign = thinking("Hm.", "anthropic", json!({"signature": "s1"}));
    let text = json!([{"text": "<thinking>\nHm.\n</thinking>"}]);
    assert_eq!(answer("anthropic:claude-sonnet-4-6", vec![foreign], CLAUDE), text);
    assert_eq!(answer(&claude(), vec![], CLAUDE), json!([{"text": "(empty)"}]));
    let profile = format!("bedrock:arn:aws:bedrock:us-east-1:1:inference-profile/{CLAUDE}");
    assert_eq!(
        answer(&profile, parts(), CLAUDE)[0]["reasoningContent"]["reasoningText"]["text"],
        "Hm."
    );
}

#[test]
fn ids_of_other_providers_fit_and_stay_pairs() {
    let id = "functions.add:0|a-very-long-id-of-a-call-that-another-provider-made-0123456789";
    let request = with([Message::assistant(vec![call(id, "{}")]), result(id, vec![])]);
    for name in [CLAUDE, LLAMA] {
        let body = sent(&model(name), &request);
        assert!(is_valid(&body));
        let called = &body["messages"][1]["content"][0]["toolUse"]["toolUseId"];
        let answered = &body["messages"][2]["content"][0]["toolResult"];
        assert_eq!(*called, answered["toolUseId"]);
        assert_eq!(answered["content"], json!([{"text": "(empty)"}]));
    }
}

#[test]
fn tools_and_choices() {
    let body = |request: &ModelRequest| {
        let body = sent(&model(LLAMA), request);
        assert!(is_valid(&body));
        body
    };
    let mut request = question("Hi?");
    request.tools = tools();
    let mut choice = |choice| {
        request.tool_choice = choice;
        body(&request)
    };
    assert!(choice(ToolChoice::Auto)["toolConfig"]["toolChoice"].is_null());
    assert!(choice(ToolChoice::None)["toolConfig"].is_null());
    assert_eq!(choice(ToolChoice::Required)["toolConfig"]["toolChoice"], json!({"any": {}}));
    let named = choice(ToolChoice::Named("add".to_owned()));
    assert_eq!(named["toolConfig"]["toolChoice"], json!({"tool": {"name": "add"}}));
    // Calls want their tools, also where none is offered any more.
    let mut called = with([Message::assistant(vec![call("c1", "{}")]), result("c1", vec![])]);
    let stand_in =
        json!({"toolSpec": {"name": "add", "inputSchema": {"json": {"type": "object"}}}});
    assert_eq!(body(&called)["toolConfig"], json!({"tools": [stand_in]}));
    (called.tools, called.tool_choice) = (tools(), ToolChoice::None);
    let refused = model(LLAMA).body(&called, Streaming::No).unwrap_err().message;
    assert!(refused.contains("leave the tool choice at auto"), "{refused}");
}

#[test]
fn settings_have_their_fields_and_what_is_set_from_outside_is_put_over_them() {
    let extra = json!({
        "inferenceConfig": {"topP": 0.5},
        "additionalModelRequestFields": {"top_k": 20},
        "toolConfig": {"tools": [{"systemTool": {"name": "nova_grounding"}}]},
        "serviceTier": {"type": "flex"}});
    let settings = ModelSettings {
        temperature: Some(0.25),
        top_p: Some(0.75),
        stop: vec!["END".to_owned()],
        parallel_calls: Some(true),
        extra: extra.as_object().unwrap().clone(),
        ..ModelSettings::default()
    };
    let mut request = ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi?"));
    request.max_output = Some(512);
    request.response_format = Some(Arc::new(json!({"title": "T", "type": "object"})));
    let body = sent(&model(NOVA), &request);
    assert!(is_valid(&body));
    let inference =
        json!({"maxTokens": 512, "temperature": 0.25, "topP": 0.5, "stopSequences": ["END"]});
    assert_eq!(body["inferenceConfig"], inference);
    assert_eq!(body["additionalModelRequestFields"], json!({"top_k": 20}));
    assert_eq!(body["toolConfig"]["tools"], json!([{"systemTool": {"name": "nova_grounding"}}]));
    assert_eq!(body["serviceTier"]["type"], "flex");
    let format = &body["outputConfig"]["textFormat"];
    assert_eq!(format["structure"]["jsonSchema"]["schema"], r#"{"title":"T","type":"object"}"#);
}

#[test]
fn each_maker_is_told_how_much_to_think_in_its_own_way() {
    let fields = |id: &str, level: &str| {
        let settings = ModelSettings {
            thinking: Some(ThinkingLevel::from(level)),
            ..ModelSettings::default()
        };
        let request = ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi?"));
        let body = model(id).body(&request, Streaming::No).map_err(|error| error.message)?;
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert!(is_valid(&body));
        Ok::<_, String>(body["additionalModelRequestFields"].clone())
    };
    let check = |id: &str, level: &str, expected: Value| {
        assert_eq!(fields(id, level).unwrap(), expected, "{id} {level}");
    };
    check(CLAUDE, "low", json!({"thinking": {"type": "enabled", "budget_tokens": 2048}}));
    check(CLAUDE, "off", json!({"thinking": {"type": "disabled"}}));
    check(
        "us.anthropic.claude-sonnet-4-6",
        "high",
        json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}),
    );
    check(
        NOVA,
        "4096",
        json!({"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}}),
    );
    check("openai.gpt-oss-120b-1:0", "high", json!({"reasoning_effort": "high"}));
    check("qwen.qwen3-32b-v1:0", "medium", json!({"reasoning_config": "medium"}));
    check(LLAMA, "off", Value::Null);
    assert!(fields(LLAMA, "high").unwrap_err().contains("leave `thinking` out"));
    assert!(
        fields("openai.gpt-oss-120b-1:0", "off").unwrap_err().contains("set `thinking` to low")
    );
    assert!(fields(NOVA, "much").unwrap_err().contains("`much`"));
}

#[test]
fn what_the_api_cannot_do_is_refused_with_advice() {
    let refused = |settings: ModelSettings| {
        let mut request =
            ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi?"));
        request.tools = tools();
        model(NOVA).body(&request, Streaming::No).unwrap_err().message
    };
    let usual = ModelSettings::default;
    assert!(refused(ModelSettings { seed: Some(1), ..usual() }).contains("has no seed"));
    let one = refused(ModelSettings { parallel_calls: Some(false), ..usual() });
    assert!(one.contains("leave `parallel_calls` unset"), "{one}");
    let own = json!({"messages": []}).as_object().unwrap().clone();
    assert!(refused(ModelSettings { extra: own, ..usual() }).contains("`messages`"));
}

#[test]
fn models_are_asked_at_their_own_address() {
    let arn = "arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2";
    let built = bedrock::converse("cn-north-1", arn).api_key("k").build().unwrap();
    let address = format!("{built:?}");
    let path = "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fa1b2";
    assert!(address.contains("https://bedrock-runtime.cn-north-1.amazonaws.com.cn"), "{address}");
    assert!(address.contains(&format!("{path}/converse")), "{address}");
}

/// A turn of a conversation: what a person says, or calls and their results.
fn turn() -> impl Strategy<Value = Vec<Message>> {
    let said = prop_oneof![
        any::<String>().prop_map(Part::text),
        any::<String>().prop_map(|text| Part::Refusal(text.into())),
        Just(Part::Image(image(base64()))),
        any::<String>().prop_map(|name| Part::File(file(&name, "application/pdf", base64()))),
        any::<String>().prop_map(|text| thinking(&text, "bedrock", json!({"signature": "s"}))),
    ];
    let said = || prop::collection::vec(said.clone(), 0..3);
    prop_oneof![
        said().prop_map(|parts| vec![Message::new(Role::User, parts)]),
        said().prop_map(|parts| vec![by(&claude(), parts)]),
        prop::collection::vec((any::<String>(), any::<String>()), 1..4).prop_map(|calls| {
            let calls: Vec<_> = calls.iter().enumerate().collect();
            let made = calls.iter().map(|(at, (_, given))| call(&format!("c{at}"), given));
            let answered = calls.iter().map(|(at, (text, _))| {
                result(&format!("c{at}"), vec![ResultPart::Text(text.clone())])
            });
            std::iter::once(Message::assistant(made.collect())).chain(answered).collect()
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn s9_1_every_request_is_valid_and_the_same_with_kept_bytes(
        turns in prop::collection::vec(turn(), 0..60),
        instructions in any::<String>(),
    ) {
        let messages: Vec<_> = turns.into_iter().flatten().collect();
        let blank = || {
            let mut request = ModelRequest::blank(Arc::new(ModelSettings::default()));
            (request.instructions, request.tools) = (instructions.as_str().into(), tools());
            request
        };
        let models = [model(CLAUDE), model(LLAMA)];
        // Grown one by one, with bytes kept on the way for both.
        let mut grown = blank();
        for (at, message) in messages.iter().enumerate() {
            grown = grown.with_message(message.clone());
            if at % 7 == 0 {
                models.iter().for_each(|model| drop(sent(model, &grown)));
            }
        }
        let whole = messages.iter().cloned().fold(blank(), ModelRequest::with_message);
        for model in &models {
            let body = sent(model, &whole);
            prop_assert!(is_valid(&body));
            prop_assert_eq!(&sent(model, &grown), &body);
            prop_assert_eq!(&sent(model, &grown), &body);
        }
    }
}
