//! Schemas of the usual keywords, checked without compiling them.
//!
//! Nearly every tool has such a schema, and nearly every call fits it. The validator of
//! all of JSON Schema takes milliseconds and a megabyte to set up; it is needed only for
//! other schemas, and to say what is wrong with arguments that are not proved to fit here.

use serde_json::{Map, Value};

/// Whether a schema is sound and consists of keywords that [`fits`] knows.
pub(crate) fn is_plain(schema: &Value) -> bool {
    match schema {
        Value::Bool(_) => true,
        Value::Object(keywords) => keywords.iter().all(|(key, value)| is_sound(key, value)),
        _ => false,
    }
}

/// Whether a keyword is one that [`fits`] knows, with a value of the right shape.
fn is_sound(keyword: &str, value: &Value) -> bool {
    match keyword {
        "title" | "description" | "format" | "$comment" => value.is_string(),
        "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
        "examples" => value.is_array(),
        "default" | "const" => true,
        "$schema" => value == "https://json-schema.org/draft/2020-12/schema",
        "type" => match value {
            Value::Array(types) => !types.is_empty() && types.iter().all(is_type) && differ(types),
            one => is_type(one),
        },
        "enum" => value.is_array(),
        "properties" => value.as_object().is_some_and(|all| all.values().all(is_plain)),
        "required" => value
            .as_array()
            .is_some_and(|names| names.iter().all(Value::is_string) && differ(names)),
        "additionalProperties" | "items" => is_plain(value),
        "anyOf" | "allOf" => value
            .as_array()
            .is_some_and(|schemas| !schemas.is_empty() && schemas.iter().all(is_plain)),
        "minimum" | "maximum" => value.is_i64(),
        "minLength" | "maxLength" | "minItems" | "maxItems" => value.is_u64(),
        _ => false,
    }
}

fn differ(values: &[Value]) -> bool {
    values.iter().enumerate().all(|(at, value)| !values.iter().take(at).any(|one| one == value))
}

fn is_type(name: &Value) -> bool {
    let types = ["null", "boolean", "object", "array", "number", "string", "integer"];
    name.as_str().is_some_and(|name| types.contains(&name))
}

/// Whether a value is proved to fit a schema. If not, it may fit all the same.
pub(crate) fn fits(schema: &Value, value: &Value) -> bool {
    match schema {
        Value::Bool(fits) => *fits,
        Value::Object(keywords) => {
            keywords.iter().all(|(key, with)| holds(keywords, key, with, value))
        }
        _ => false,
    }
}

/// Whether one keyword of a schema is proved to hold for a value.
fn holds(schema: &Map<String, Value>, keyword: &str, with: &Value, value: &Value) -> bool {
    match (keyword, with) {
        (
            "title" | "description" | "format" | "$comment" | "deprecated" | "readOnly"
            | "writeOnly" | "examples" | "default" | "$schema",
            _,
        ) => true,
        ("type", Value::Array(types)) => types.iter().any(|one| is_of(one, value)),
        ("type", one) => is_of(one, value),
        ("const", constant) => constant == value,
        ("enum", Value::Array(all)) => all.contains(value),
        ("properties", Value::Object(all)) => value.as_object().is_none_or(|fields| {
            all.iter().all(|(name, inner)| fields.get(name).is_none_or(|field| fits(inner, field)))
        }),
        ("required", Value::Array(names)) => value.as_object().is_none_or(|fields| {
            names.iter().all(|name| name.as_str().is_some_and(|name| fields.contains_key(name)))
        }),
        ("additionalProperties", inner) => value.as_object().is_none_or(|fields| {
            let declared = schema.get("properties").and_then(Value::as_object);
            let is_declared = |name: &String| declared.is_some_and(|all| all.contains_key(name));
            fields.iter().all(|(name, field)| is_declared(name) || fits(inner, field))
        }),
        ("items", inner) => {
            value.as_array().is_none_or(|items| items.iter().all(|item| fits(inner, item)))
        }
        ("anyOf", Value::Array(schemas)) => schemas.iter().any(|inner| fits(inner, value)),
        ("allOf", Value::Array(schemas)) => schemas.iter().all(|inner| fits(inner, value)),
        _ => is_within(keyword, with, value),
    }
}

fn is_of(name: &Value, value: &Value) -> bool {
    match name.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        _ => false,
    }
}

/// Whether a value keeps a bound; numbers with a fraction are not compared here.
fn is_within(keyword: &str, bound: &Value, value: &Value) -> bool {
    let (at_least, measure) = match (keyword, value) {
        ("minimum" | "maximum", Value::Number(number)) => match number.as_i64() {
            Some(number) => (keyword == "minimum", i128::from(number)),
            None => return false,
        },
        ("minLength" | "maxLength", Value::String(text)) => {
            (keyword == "minLength", text.chars().count() as i128)
        }
        ("minItems" | "maxItems", Value::Array(items)) => {
            (keyword == "minItems", items.len() as i128)
        }
        ("minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems", _) => {
            return true;
        }
        _ => return false,
    };
    let bound = bound.as_i64().map(i128::from).or_else(|| bound.as_u64().map(i128::from));
    bound.is_some_and(|bound| if at_least { measure >= bound } else { measure <= bound })
}

#[cfg(test)]
mod tests;
