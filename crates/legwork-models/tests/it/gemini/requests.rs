//! Requests of every kind: valid, with kinds of contents in turn, and results behind their calls.

use std::sync::Arc;

use legwork_core::inference::{ThinkingLevel, ToolChoice};
use legwork_core::message::{
    Author, File, Image, MediaSource, ProviderData, ResultPart, Text, Thinking, ToolResult,
};
use legwork_core::tool::ToolSpecs;
use legwork_core::{Message, ModelRequest, ModelSettings, Part, Role, ToolCall, ToolSpec};
use legwork_models::answer::Streaming;
use legwork_models::gemini;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::schema::is_valid;
use super::{model, sent};
use crate::traffic::question;

fn tools() -> Arc<ToolSpecs> {
    let schema = json!({"type": "object", "properties": {"a": {"type": ["integer", "null"]}}});
    let spec = |name: &str| Arc::new(ToolSpec::new(name, "Adds.", schema.clone()));
    Arc::new(ToolSpecs::new(vec![spec("add"), spec("sub")]))
}

fn base64() -> MediaSource {
    MediaSource::Base64("aGk=".to_owned())
}

fn url() -> MediaSource {
    MediaSource::Url("https://x/y".to_owned())
}

fn image(source: MediaSource) -> Image {
    Image { media_type: "image/png".to_owned(), source }
}

fn file(media_type: &str, source: MediaSource) -> File {
    File { name: Some("a".to_owned()), media_type: media_type.to_owned(), source }
}

fn call(id: &str, arguments: &str) -> Part {
    Part::ToolCall(Arc::new(ToolCall::new(id.to_owned(), "add", arguments)))
}

fn signed_call(id: &str, signature: &str) -> Part {
    let provider = Some(ProviderData::new("google", json!({"thoughtSignature": signature})));
    Part::ToolCall(Arc::new(ToolCall { provider, ..ToolCall::new(id, "add", "{}") }))
}

fn result(id: &str, text: &str) -> Part {
    Part::ToolResult(ToolResult::new(id, "add", text))
}

fn by_google(parts: Vec<Part>) -> Message {
    Message::assistant(parts).by(Author::Model("google:gemini-3-flash-preview".into()))
}

fn request(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    messages.into_iter().fold(question("Hi?"), ModelRequest::with_message)
}

/// Contents whose kinds take turns, and whose calls are followed by exactly their results.
fn are_turns(contents: &Value) -> bool {
    let contents = contents.as_array().unwrap();
    let ids = |content: Option<&Value>, kind: &str| -> Vec<Value> {
        let parts = content.and_then(|content| content["parts"].as_array());
        let parts = parts.into_iter().flatten().filter_map(|part| part.get(kind));
        parts.map(|part| part["id"].clone()).collect()
    };
    let kind = |content: &Value| {
        let results = !ids(Some(content), "functionResponse").is_empty();
        let said = content["parts"].as_array().unwrap().iter().any(|p| p.get("text").is_some());
        assert!(!(results && said), "{content}");
        (content["role"].clone(), results)
    };
    let alternate = contents.windows(2).all(|two| kind(&two[0]) != kind(&two[1]));
    let answered = contents.iter().enumerate().all(|(at, content)| {
        let calls = ids(Some(content), "functionCall");
        content["role"] != "model" || calls == ids(contents.get(at + 1), "functionResponse")
    });
    alternate && answered && ids(contents.first(), "functionResponse").is_empty()
}

#[test]
fn a_conversation_with_everything_is_valid_and_says_it() {
    let thinking =
        |text: &str| Part::Thinking(Thinking { text: text.into(), ..Thinking::default() });
    let picture = ToolResult {
        parts: vec![ResultPart::Text("Seen.".to_owned()), ResultPart::Image(image(base64()))],
        ..ToolResult::new("c2", "add", "")
    };
    let answer = ToolResult {
        parts: vec![ResultPart::Json(json!({"sum": 3}))],
        ..ToolResult::new("c1", "add", "")
    };
    let failed = ToolResult { is_error: true, ..ToolResult::new("c3", "add", "no") };
    let mut request = request([
        Message::new(
            Role::User,
            vec![
                Part::text("Look: \"é\"\n"),
                Part::text(""),
                Part::Image(image(base64())),
                Part::Image(image(url())),
                Part::File(file("audio/wav", base64())),
                Part::File(file("video/mp4", url())),
                Part::File(file("application/pdf", base64())),
            ],
        ),
        Message::assistant(vec![
            thinking("Hm."),
            Part::text("One."),
            call("c1", r#" {"a": 1} "#),
            call("c2", ""),
        ]),
        Message::new(Role::Tool, vec![Part::ToolResult(answer)]),
        Message::new(Role::Tool, vec![Part::ToolResult(picture)]),
        Message::user("Go on."),
        Message::assistant(vec![call("c3", "{broken")]),
        Message::tool_result(failed),
        Message::assistant(vec![Part::Refusal("I won't.".into())]),
        Message::assistant(vec![]),
    ]);
    request.instructions = "Be \"careful\".".into();
    request.tools = tools();
    let body = sent(&model("gemini-2.5-flash"), &request);
    assert!(is_valid(&body));
    let inline = |kind: &str| json!({"inlineData": {"mimeType": kind, "data": "aGk="}});
    let linked = |kind: &str| json!({"fileData": {"mimeType": kind, "fileUri": "https://x/y"}});
    let call =
        |id: &str, args: Value| json!({"functionCall": {"id": id, "name": "add", "args": args}});
    let response = |id: &str, response: Value| json!({"functionResponse": {"id": id, "name": "add", "response": response}});
    let expected = json!([
        {"role": "user", "parts": [
            {"text": "Hi?"}, {"text": "Look: \"é\"\n"}, inline("image/png"), linked("image/png"),
            inline("audio/wav"), linked("video/mp4"), inline("application/pdf")]},
        {"role": "model", "parts": [{"text": "One."}, call("c1", json!({"a": 1})), call("c2", json!({}))]},
        {"role": "user", "parts": [
            response("c1", json!({"result": {"sum": 3}})),
            response("c2", json!({"result": "Seen.\n[picture: image/png]"})), inline("image/png")]},
        {"role": "user", "parts": [{"text": "Go on."}]},
        {"role": "model", "parts": [call("c3", json!({"arguments": "{broken"}))]},
        {"role": "user", "parts": [response("c3", json!({"error": "no"}))]},
        {"role": "model", "parts": [{"text": "I won't."}, {"text": " "}]},
    ]);
    assert_eq!(body["contents"], expected);
    assert!(are_turns(&body["contents"]));
    assert_eq!(body["systemInstruction"], json!({"parts": [{"text": "Be \"careful\"."}]}));
    let declared = &body["tools"][0]["functionDeclarations"][1];
    assert_eq!((&declared["name"], &declared["description"]), (&json!("sub"), &json!("Adds.")));
    assert_eq!(declared["parametersJsonSchema"]["properties"]["a"]["type"][1], "null");
    assert!(body.get("toolConfig").is_none() && body.get("generationConfig").is_none());
}

#[test]
fn s6_9_media_of_a_result_are_inside_it_where_the_model_takes_them_there() {
    let parts = vec![
        ResultPart::Text("Seen.".to_owned()),
        ResultPart::Image(image(base64())),
        ResultPart::File(file("application/pdf", base64())),
        ResultPart::File(file("audio/wav", base64())),
        ResultPart::Image(image(url())),
    ];
    let seen = ToolResult { parts, ..ToolResult::new("c1", "add", "") };
    let results = || {
        let results = [Part::ToolResult(seen.clone()), result("c2", "2")];
        results.map(|one| Message::new(Role::Tool, vec![one]))
    };
    let calls = Message::assistant(vec![call("c1", "{}"), call("c2", "{}")]);
    let request = request([calls]);
    let request = results().into_iter().fold(request, ModelRequest::with_message);
    let kinds = |name: &str| {
        let body = sent(&model(name), &request);
        assert!(is_valid(&body) && are_turns(&body["contents"]), "{body}");
        let parts = body["contents"][2]["parts"].as_array().unwrap().clone();
        let kinds = |parts: &[Value]| -> Vec<String> {
            parts
                .iter()
                .map(|part| part.as_object().unwrap().keys().next().unwrap().clone())
                .collect()
        };
        let inside = parts[0]["functionResponse"]["parts"].as_array().cloned();
        (kinds(&parts), kinds(&inside.unwrap_or_default()))
    };
    let (outside, inside) = kinds("gemini-3-flash-preview");
    assert_eq!(outside, ["functionResponse", "inlineData", "fileData", "functionResponse"]);
    assert_eq!(inside, ["inlineData", "inlineData"]);
    let (outside, inside) = kinds("gemini-2.5-flash");
    let media = ["inlineData", "inlineData", "inlineData", "fileData"];
    assert_eq!(outside, [&["functionResponse"][..], &media, &["functionResponse"]].concat());
    assert!(inside.is_empty());
}

#[test]
fn every_setting_is_valid_and_reaches_its_field() {
    let choices = [
        (ToolChoice::Auto, Value::Null),
        (ToolChoice::None, json!({"mode": "NONE"})),
        (ToolChoice::Required, json!({"mode": "ANY"})),
        (
            ToolChoice::Named("add".to_owned()),
            json!({"mode": "ANY", "allowedFunctionNames": ["add"]}),
        ),
    ];
    for (choice, calling) in choices {
        let settings = ModelSettings {
            temperature: Some(0.5),
            top_p: Some(0.9),
            seed: Some(-7),
            stop: vec!["END".to_owned()],
            thinking: Some(ThinkingLevel::Medium),
            parallel_calls: Some(true),
            ..ModelSettings::default()
        };
        let mut request = request([]);
        request.settings = Arc::new(settings);
        request.max_output = Some(1024);
        request.tools = tools();
        request.tool_choice = choice;
        request.response_format = Some(Arc::new(json!({"title": "T", "type": "object"})));
        let body = sent(&model("gemini-3-flash-preview"), &request);
        assert!(is_valid(&body));
        assert_eq!(body["toolConfig"]["functionCallingConfig"], calling);
        let config = json!({
            "temperature": 0.5, "topP": 0.9, "seed": -7, "stopSequences": ["END"],
            "maxOutputTokens": 1024, "responseMimeType": "application/json",
            "responseJsonSchema": {"title": "T", "type": "object"},
            "thinkingConfig": {"includeThoughts": true, "thinkingLevel": "MEDIUM"}});
        assert_eq!(body["generationConfig"], config);
    }
}

#[test]
fn what_the_api_cannot_do_is_refused_with_what_to_do() {
    let refused = |settings: ModelSettings| {
        let mut request = ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi"));
        request.tools = tools();
        model("gemini-2.5-flash").body(&request, Streaming::No).unwrap_err().message
    };
    let one = ModelSettings { parallel_calls: Some(false), ..ModelSettings::default() };
    let message = refused(one.clone());
    assert!(message.contains("leave `parallel_calls` unset"), "{message}");
    let level = ThinkingLevel::from("endless");
    let message = refused(ModelSettings { thinking: Some(level), ..ModelSettings::default() });
    assert!(message.contains("use off, minimal, low"), "{message}");
    let extra = json!({"generationConfig": {"candidateCount": 2}}).as_object().unwrap().clone();
    let message = refused(ModelSettings { extra, ..ModelSettings::default() });
    assert!(message.contains("take `candidateCount` out"), "{message}");
    for field in ["contents", "systemInstruction"] {
        let extra = Map::from_iter([(field.to_owned(), json!([]))]);
        let message = refused(ModelSettings { extra, ..ModelSettings::default() });
        assert!(message.contains(field), "{message}");
    }
    // Without tools there is nothing to call.
    let request = ModelRequest::blank(Arc::new(one)).with_message(Message::user("Hi"));
    assert!(is_valid(&sent(&model("gemini-2.5-flash"), &request)));
}

#[test]
fn what_is_set_from_outside_is_put_over_ours() {
    let built = gemini::generate_content("http://127.0.0.1:1/v1beta", "gemini-2.5-flash")
        .field("generationConfig", json!({"topK": 7, "temperature": 1}))
        .field("tools", json!([{"googleSearch": {}}]))
        .field("labels", json!({"team": "a"}))
        .build()
        .unwrap();
    let extra = json!({
        "generationConfig": {"temperature": 2, "thinkingConfig": {"includeThoughts": false}},
        "toolConfig": {"includeServerSideToolInvocations": true},
        "cachedContent": "cachedContents/x"});
    let settings = ModelSettings {
        temperature: Some(0.0),
        thinking: Some(ThinkingLevel::Off),
        extra: extra.as_object().unwrap().clone(),
        ..ModelSettings::default()
    };
    let mut request = ModelRequest::blank(Arc::new(settings)).with_message(Message::user("Hi"));
    let body = sent(&built, &request);
    assert!(is_valid(&body));
    assert_eq!(body["tools"], json!([{"googleSearch": {}}]));
    request.tools = tools();
    request.tool_choice = ToolChoice::Required;
    let body = sent(&built, &request);
    assert!(is_valid(&body));
    let thinking = json!({"includeThoughts": false, "thinkingBudget": 0});
    let config = json!({"temperature": 2, "topK": 7, "thinkingConfig": thinking});
    assert_eq!(body["generationConfig"], config);
    let tool_config = json!({"functionCallingConfig": {"mode": "ANY"},
                             "includeServerSideToolInvocations": true});
    assert_eq!(body["toolConfig"], tool_config);
    assert_eq!(body["tools"].as_array().unwrap().len(), 2);
    assert_eq!(body["tools"][1], json!({"googleSearch": {}}));
    assert_eq!(
        (&body["labels"]["team"], &body["cachedContent"]),
        (&json!("a"), &json!("cachedContents/x"))
    );
}

/// The parts of the answer in a request to a model.
fn answer_parts(name: &str, message: &Message) -> Value {
    let calls: Vec<_> = message.tool_calls().map(|c| result(c.id.as_str(), "1")).collect();
    let mut request = request([message.clone()]);
    if !calls.is_empty() {
        request = request.with_message(Message::new(Role::Tool, calls));
    }
    let body = sent(&model(name), &request);
    assert!(is_valid(&body) && are_turns(&body["contents"]), "{body}");
    body["contents"][1]["parts"].clone()
}

#[test]
fn s11_2_signed_parts_go_back_to_their_provider_alone() {
    let signed = |provider: &str, signature: &str| {
        Some(ProviderData::new(provider, json!({"thoughtSignature": signature})))
    };
    let thinking = |provider| Part::Thinking(Thinking { text: "Hm.".into(), id: None, provider });
    let text = |text: &str, provider| Part::Text(Text { text: text.into(), id: None, provider });
    let parts = vec![
        thinking(None),
        thinking(signed("google", "s1")),
        thinking(signed("vertex", "s2")),
        text("A", signed("google", "s3")),
        text("B", signed("vertex", "s4")),
        text("", signed("google", "s5")),
        text("", signed("vertex", "s6")),
        signed_call("c1", "s7"),
        call("c2", "{}"),
    ];
    let call = |id: &str| json!({"id": id, "name": "add", "args": {}});
    let expected = json!([
        {"text": "Hm.", "thought": true, "thoughtSignature": "s1"},
        {"text": "A", "thoughtSignature": "s3"},
        {"text": "B"},
        {"text": "", "thoughtSignature": "s5"},
        {"functionCall": call("c1"), "thoughtSignature": "s7"},
        {"functionCall": call("c2")},
    ]);
    let message = by_google(parts);
    for name in ["gemini-2.5-flash", "gemini-3-flash-preview", "gemini-2.5-flash"] {
        assert_eq!(answer_parts(name, &message), expected, "{name}");
    }
    let vertex = gemini::vertex("p", "global", "gemini-3-flash-preview").build().unwrap();
    let results = Message::new(Role::Tool, vec![result("c1", "1"), result("c2", "2")]);
    let body = sent(&vertex, &request([message, results]));
    let dummy = "skip_thought_signature_validator";
    let expected = json!([
        {"text": "Hm.", "thought": true, "thoughtSignature": "s2"},
        {"text": "A"},
        {"text": "B", "thoughtSignature": "s4"},
        {"text": "", "thoughtSignature": "s6"},
        {"functionCall": call("c1"), "thoughtSignature": dummy},
        {"functionCall": call("c2")},
    ]);
    assert_eq!(body["contents"][1]["parts"], expected);
}

#[test]
fn s11_2_a_conversation_of_other_providers_goes_on() {
    let signed = Some(ProviderData::new("anthropic", json!({"signature": "x"})));
    let thought = Part::Thinking(Thinking { text: "Hm.".into(), id: None, provider: signed });
    let claude = |parts| Message::assistant(parts).by(Author::Model("anthropic:claude".into()));
    let alone = claude(vec![thought.clone()]);
    assert_eq!(
        answer_parts("gemini-3-flash-preview", &alone),
        json!([{"text": "<thinking>\nHm.\n</thinking>"}])
    );
    let other = Part::Other(json!({"type": "server_tool_use", "name": "web_search"}));
    let message = claude(vec![
        thought,
        other,
        Part::text("Hi."),
        call("functions.add:0|é", "{}"),
        call("toolu_2", "{}"),
    ]);
    for (name, signature) in [
        ("gemini-3-flash-preview", Some("skip_thought_signature_validator")),
        ("gemini-2.5-flash", None),
    ] {
        let parts = answer_parts(name, &message);
        assert_eq!(parts.as_array().unwrap().len(), 3, "{parts}");
        assert_eq!(parts[0], json!({"text": "Hi."}));
        assert_eq!(parts[1]["thoughtSignature"].as_str(), signature);
        let id = parts[1]["functionCall"]["id"].as_str().unwrap();
        assert!(id.starts_with("functions_add_0") && id.is_ascii(), "{id}");
        assert_eq!(parts[2]["functionCall"]["id"], "toolu_2");
        assert!(parts[2].get("thoughtSignature").is_none());
    }
}

#[test]
fn parts_of_the_provider_go_back_as_they_came() {
    let code =
        json!({"executableCode": {"code": "1", "language": "PYTHON"}, "thoughtSignature": "s"});
    let ran = json!({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}});
    let parts = || vec![Part::Other(code.clone()), Part::Other(ran.clone())];
    assert_eq!(answer_parts("gemini-2.5-flash", &by_google(parts())), json!([code, ran]));
    for message in [
        Message::assistant(parts()),
        Message::assistant(parts()).by(Author::Model("vertex:gemini-3-flash-preview".into())),
        Message::assistant(parts()).by(Author::Person("google:x".into())),
    ] {
        assert_eq!(answer_parts("gemini-2.5-flash", &message), json!([{"text": " "}]));
    }
    let thought = Part::Thinking(Thinking { text: "Hm.".into(), ..Thinking::default() });
    let own = answer_parts("gemini-2.5-flash", &by_google(vec![thought]));
    assert_eq!(own, json!([{"text": "Hm.", "thought": true}]));
}

/// A turn of a conversation: what a person says, or calls and their results.
fn turn() -> impl Strategy<Value = Vec<(Role, Vec<Part>)>> {
    let said = prop_oneof![
        any::<String>().prop_map(Part::text),
        any::<String>().prop_map(|text| Part::Refusal(text.into())),
        Just(Part::Image(image(base64()))),
        Just(Part::File(file("application/pdf", url()))),
        any::<String>()
            .prop_map(|text| { Part::Thinking(Thinking { text, ..Thinking::default() }) }),
    ];
    let said = || proptest::collection::vec(said.clone(), 0..3);
    let calls = proptest::collection::vec(any::<String>(), 1..4);
    prop_oneof![
        said().prop_map(|parts| vec![(Role::User, parts)]),
        said().prop_map(|parts| vec![(Role::Assistant, parts)]),
        (said(), calls, any::<bool>()).prop_map(|(mut parts, arguments, together)| {
            let ids = 0..arguments.len();
            let results: Vec<_> = ids.map(|id| result(&format!("c{id}"), "1")).collect();
            let calls = arguments.iter().enumerate();
            parts.extend(calls.map(|(id, arguments)| call(&format!("c{id}"), arguments)));
            let mut turn = vec![(Role::Assistant, parts)];
            match together {
                true => turn.push((Role::Tool, results)),
                false => turn.extend(results.into_iter().map(|one| (Role::Tool, vec![one]))),
            }
            turn
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn s9_1_every_request_is_valid_and_the_same_with_kept_bytes(
        turns in proptest::collection::vec(turn(), 0..60),
        instructions in any::<String>(),
    ) {
        let messages: Vec<_> = turns.into_iter().flatten().collect();
        let fresh = |count: usize| {
            let all = messages.iter().take(count);
            let mut request = request(all.map(|(role, parts)| Message::new(role.clone(), parts.clone())));
            request.instructions = instructions.as_str().into();
            request
        };
        let models = [model("gemini-3-flash-preview"), model("gemini-2.5-flash")];
        // Grown one by one, with bytes kept on the way for both.
        let mut grown = fresh(0);
        for (at, (role, parts)) in messages.iter().enumerate() {
            grown = grown.with_message(Message::new(role.clone(), parts.clone()));
            if at % 7 == 0 {
                models.iter().for_each(|model| drop(sent(model, &grown)));
            }
        }
        let whole = fresh(messages.len());
        for model in &models {
            let body = sent(model, &whole);
            prop_assert!(is_valid(&body));
            prop_assert!(are_turns(&body["contents"]));
            prop_assert_eq!(&sent(model, &grown), &body);
            prop_assert_eq!(&sent(model, &grown), &body);
        }
    }
}
