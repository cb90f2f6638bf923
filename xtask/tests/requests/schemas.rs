//! The JSON Schemas inside of requests, which the schemas of requests take as any objects.

use serde_json::Value;

/// Where each API has a schema: a tool's arguments, and the format of an answer.
const KEYS: [&str; 6] = [
    "schema",
    "parameters",
    "input_schema",
    "parametersJsonSchema",
    "responseJsonSchema",
    "inputSchema",
];

/// What is wrong with the schemas of a body, such as references that lead nowhere.
pub(crate) fn problems(body: &Value) -> Vec<String> {
    match body {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| match KEYS.contains(&key.as_str()) {
                true => problem(key, value).into_iter().collect(),
                false => problems(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(problems).collect(),
        _ => Vec::new(),
    }
}

fn problem(key: &str, value: &Value) -> Option<String> {
    let compiled = match (key, value) {
        // Bedrock has that of an answer as text, and that of a tool one level deeper.
        (_, Value::String(text)) => {
            let read = serde_json::from_str(text).map_err(|error| error.to_string());
            read.and_then(|schema| compile(&schema))
        }
        ("inputSchema", value) => compile(&value["json"]),
        (_, value) => compile(value),
    };
    compiled.err().map(|error| format!("the schema in `{key}` cannot be used: {error}: {value}"))
}

fn compile(schema: &Value) -> Result<(), String> {
    jsonschema::validator_for(schema).map(drop).map_err(|error| error.to_string())
}
