//! The JSON Schema of the stream, generated from the types.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::{EventKind, VERSION};

/// The JSON Schema of an event (draft 2020-12).
///
/// It accepts the events of this version. For the entries in it see
/// `legwork_core::entry::schema`.
pub fn schema() -> Schema {
    let mut generator = SchemaGenerator::default();
    let mut kinds = <EventKind as schemars::JsonSchema>::json_schema(&mut generator).to_value();
    let mut definitions = generator.take_definitions(true);
    let header = header();
    for kind in kinds.pointer_mut("/oneOf").and_then(Value::as_array_mut).into_iter().flatten() {
        inline(kind, &definitions);
        let Some(kind) = kind.as_object_mut() else { continue };
        let properties = kind.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.extend(header.clone());
        }
        let required = kind.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            required.push(json!("version"));
        }
        kind.insert("additionalProperties".to_owned(), json!(false));
    }
    definitions.remove("ExecutionEnd");
    definitions.remove("ExecutionStart");
    definitions.remove("Committed");
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Event of a Legwork run",
        "description": "What happened in a run; a line of `legwork run --json`.",
        "oneOf": kinds.get("oneOf"),
        "$defs": definitions,
    })
}

/// Inlines the fields of a kind that refers to a struct.
fn inline(kind: &mut Value, definitions: &Map<String, Value>) {
    let reference = kind.get("$ref").and_then(Value::as_str).map(str::to_owned);
    let Some(fields) =
        reference.and_then(|reference| definitions.get(reference.rsplit('/').next()?).cloned())
    else {
        return;
    };
    let Some(kind) = kind.as_object_mut() else { return };
    kind.remove("$ref");
    let Some(Value::Object(mut properties)) = fields.get("properties").cloned() else { return };
    let mut required =
        fields.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(own)) = kind.get("properties") {
        properties.extend(own.clone());
    }
    required.extend(kind.get("required").and_then(Value::as_array).cloned().unwrap_or_default());
    kind.insert("properties".to_owned(), Value::Object(properties));
    kind.insert("required".to_owned(), Value::Array(required));
}

fn header() -> Map<String, Value> {
    let header = json!({
        "version": { "description": "The version of the stream.", "const": VERSION },
        "session": {
            "description": "The session in which it happened; absent before there is one.",
            "type": "string",
        },
        "path": {
            "description": "The names of the subagents from the agent that runs down to the one \
                in which it happened; absent for the agent that runs.",
            "type": "array",
            "items": { "type": "string" },
        },
        "step": {
            "description": "The step during which it happened; absent between steps.",
            "type": "integer",
            "minimum": 1,
        },
    });
    match header {
        Value::Object(header) => header,
        _ => Map::new(),
    }
}
