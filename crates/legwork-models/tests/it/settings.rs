//! The page `docs/models.md` says what each API makes of each setting.

use std::sync::Arc;

use legwork_core::inference::ToolChoice;
use legwork_core::tool::{ToolSpec, ToolSpecs};
use legwork_core::{Message, ModelRequest};
use legwork_models::answer::Streaming;
use legwork_models::{HttpModel, Named, anthropic, gemini, openai};
use legwork_port::Model as _;
use serde_json::{Value, json};

/// What an option is tried with.
const OPTIONS: [&str; 13] = [
    "thinking=off",
    "thinking=high",
    "thinking=2048",
    "temperature=0.2",
    "top_p=0.9",
    "max_output=4096",
    "tool_choice=required",
    "tool_choice=look_up",
    "parallel_calls=false",
    "seed=1",
    "stop=END",
    "background=true",
    "previous_response_id=auto",
];

const URL: &str = "https://example.test/v1";

/// A model of each API, with options.
fn models(name: &str) -> Vec<HttpModel> {
    let named: Named = name.parse().unwrap();
    let builders = [
        openai::chat(URL, "gpt-5-mini"),
        openai::responses(URL, "gpt-5-mini"),
        anthropic::messages(URL, "claude-sonnet-4-5"),
        gemini::generate_content(URL, "gemini-2.5-flash"),
        #[cfg(feature = "bedrock")]
        legwork_models::bedrock::converse_at(URL, "anthropic.claude-sonnet-4-5-20250929-v1:0"),
    ];
    let built = |builder: legwork_models::Builder| builder.settings(named.settings.clone()).build();
    builders.into_iter().map(|builder| built(builder).unwrap()).collect()
}

fn request() -> ModelRequest {
    let mut request = ModelRequest::blank(Arc::default()).with_message(Message::user("Hi?"));
    let tool = ToolSpec::new("look_up", "Looks up.", json!({"type": "object", "properties": {}}));
    request.tools = Arc::new(ToolSpecs::new(vec![Arc::new(tool)]));
    request
}

/// Objects that only hold the settings of an API together.
const AROUND: [&str; 3] = ["additionalModelRequestFields", "generationConfig", "inferenceConfig"];

/// The fields of a body that another has not, or has otherwise.
fn changed(before: &Value, after: &Value) -> Vec<String> {
    let mut fields = Vec::new();
    for (field, value) in after.as_object().unwrap() {
        match before.get(field) {
            Some(before) if before == value => {}
            before if AROUND.contains(&field.as_str()) => {
                fields.extend(changed(before.unwrap_or(&Value::Null), value));
            }
            _ => fields.push(field.clone()),
        }
    }
    fields
}

fn cell(plain: &HttpModel, model: &HttpModel) -> String {
    let body = |model: &HttpModel| model.body(&request(), Streaming::No);
    let Ok(after) = body(model) else { return "refused".to_owned() };
    let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap();
    let fields = changed(&read(&body(plain).unwrap()), &read(&after));
    match fields.is_empty() {
        true => "by default".to_owned(),
        false => fields.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(", "),
    }
}

fn row(options: &str) -> String {
    let (plain, models) = (models("a:m"), models(&format!("a:m?{options}")));
    let cells = plain.iter().zip(&models).map(|(plain, model)| cell(plain, model));
    let (option, value) = options.split_once('=').unwrap();
    format!("| {option} | `{value}` | {} |", cells.collect::<Vec<_>>().join(" | "))
}

#[cfg(feature = "bedrock")]
#[test]
fn the_page_says_what_each_api_makes_of_each_option() {
    let page = include_str!("../../../../docs/models.md");
    let rows = OPTIONS.map(row);
    let missing: Vec<_> = rows.iter().filter(|row| !page.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "put these rows into docs/models.md: {missing:#?}");
    let names = legwork_models::named::OPTIONS.iter().map(|(name, _)| format!("| {name} | "));
    let names: Vec<_> = names.collect();
    let of_option = |line: &&str| names.iter().any(|name| line.starts_with(name));
    let written = page.lines().filter(of_option).count();
    assert_eq!(written, rows.len(), "take the other rows out of docs/models.md");
    for (option, _) in legwork_models::named::OPTIONS {
        assert!(OPTIONS.iter().any(|tried| tried.starts_with(option)), "{option}");
    }
}

#[test]
fn options_of_a_model_are_those_of_requests_that_set_nothing() {
    for model in models("a:m?temperature=0.2&max_output=4096&stop=END") {
        let body = model.body(&request(), Streaming::No);
        // Responses knows no stop sequences.
        assert_eq!(body.is_err(), model.api().name() == "responses");
        assert_eq!(model.profile().max_output, Some(4096));
    }
}

#[test]
fn thinking_by_default_gives_way_to_a_call_that_a_request_demands() {
    let mut demanding = request();
    demanding.tool_choice = ToolChoice::Named("look_up".to_owned());
    for (default, plain) in models("a:b?thinking=high").iter().zip(models("a:b")) {
        let body = |model: &HttpModel, request: &ModelRequest| model.body(request, Streaming::No);
        let wire = default.api();
        let by_default =
            body(default, &demanding).unwrap_or_else(|error| panic!("{wire}: {error}"));
        let gives_way = by_default == body(&plain, &demanding).unwrap();
        assert_eq!(gives_way, matches!(wire.name(), "messages" | "bedrock"), "{wire}");
        assert_ne!(body(default, &request()).unwrap(), body(&plain, &request()).unwrap(), "{wire}");
    }
}
