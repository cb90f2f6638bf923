//! The official schemas of requests; `cargo xtask requests` is checked against them, too.
//!
//! The crate that holds this module says where the shared data is, by a function `shared`. The
//! schemas of Gemini and Bedrock are next to these tests.

use std::sync::OnceLock;

use jsonschema::Validator;
use legwork_models::Api;
use serde_json::Value;

/// The schemas that there are, by the name of the wire; Anthropic has one for streams.
type Schemas = Vec<(&'static str, Validator)>;

/// What the official schema of its API says against a body; nothing if there is no schema.
pub(crate) fn problems(api: Api, body: &Value) -> Vec<String> {
    static SCHEMAS: OnceLock<Schemas> = OnceLock::new();
    let schemas = SCHEMAS.get_or_init(|| shared_schemas().chain(own_schemas()).collect());
    let name = match (api.name(), &body["stream"]) {
        ("messages", Value::Bool(true)) => "streamed messages",
        (name, _) => name,
    };
    let Some((_, schema)) = schemas.iter().find(|(of, _)| *of == name) else { return Vec::new() };
    let errors = schema.iter_errors(body);
    let errors = errors.map(|error| format!("{error} at {}", error.instance_path()));
    errors.chain(repeated_side(name, body)).collect()
}

/// Those of OpenAI and Anthropic, which may not be there.
fn shared_schemas() -> impl Iterator<Item = (&'static str, Validator)> {
    let files = [
        ("chat", "specs/openai-chat-request.schema.json", ""),
        ("responses", "specs/openai-responses-request.schema.json", ""),
        ("messages", "specs/anthropic-messages.schema.json", "/non_streaming"),
        ("streamed messages", "specs/anthropic-messages.schema.json", "/streaming"),
    ];
    files.into_iter().filter_map(|(name, file, part)| {
        let schema: Value = serde_json::from_slice(&crate::shared(file)?).unwrap();
        Some((name, jsonschema::validator_for(schema.pointer(part).unwrap()).unwrap()))
    })
}

fn own_schemas() -> impl Iterator<Item = (&'static str, Validator)> {
    let texts = [
        ("gemini", include_str!("../data/gemini-request.schema.json")),
        ("bedrock", include_str!("../data/bedrock-request.schema.json")),
    ];
    texts.into_iter().map(|(name, text)| {
        let schema = serde_json::from_str(text).unwrap();
        (name, jsonschema::validator_for(&schema).unwrap())
    })
}

/// Bedrock refuses two messages of one side in a row, which no schema says.
fn repeated_side(name: &str, body: &Value) -> Option<String> {
    let messages = body["messages"].as_array().filter(|_| name == "bedrock")?;
    let at = messages.windows(2).position(|two| two[0]["role"] == two[1]["role"])?;
    Some(format!("two messages of one side at /messages/{at}"))
}
