//! The format of an answer, which both of OpenAI's APIs know.

use serde_json::{Map, Value, json};

use crate::wire::is_any_object;

/// The format that a schema asks for: JSON mode for the schema of any object, or the schema, which
/// is held strictly if it is in the dialect that allows this.
pub(crate) fn format(schema: &Value) -> Map<String, Value> {
    let fields = match is_any_object(schema) {
        true => json!({"type": "json_object"}),
        false => json!({"type": "json_schema", "name": name(schema), "schema": schema,
                        "strict": is_strict(schema)}),
    };
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// The title in the letters that a name may have.
fn name(schema: &Value) -> String {
    let title = schema.get("title").and_then(Value::as_str).unwrap_or_default();
    let allowed = |c: &char| c.is_ascii_alphanumeric() || *c == '_' || *c == '-';
    let name: String = title.chars().filter(allowed).take(64).collect();
    if name.is_empty() { "response".to_owned() } else { name }
}

/// Whether each object in a schema allows no properties but those that it requires, as OpenAI's
/// guide to structured outputs asks of strict schemas.
fn is_strict(schema: &Value) -> bool {
    let Value::Object(fields) = schema else { return true };
    let properties = fields.get("properties").and_then(Value::as_object);
    let required = fields.get("required").and_then(Value::as_array);
    let is_required = |key: &String| {
        required.is_some_and(|required| required.iter().any(|name| name.as_str() == Some(key)))
    };
    let is_object = fields.get("type").is_some_and(|kind| match kind {
        Value::String(kind) => kind == "object",
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    });
    let closed = fields.get("additionalProperties") == Some(&Value::Bool(false));
    if (is_object || properties.is_some())
        && !(closed && properties.is_none_or(|all| all.keys().all(is_required)))
    {
        return false;
    }
    let maps = ["properties", "$defs", "definitions"].iter().filter_map(|key| fields.get(*key));
    let nested = maps.filter_map(Value::as_object).flat_map(Map::values);
    let lists = ["anyOf", "prefixItems"].iter().filter_map(|key| fields.get(*key)?.as_array());
    nested.chain(lists.flatten()).chain(fields.get("items")).all(is_strict)
}
