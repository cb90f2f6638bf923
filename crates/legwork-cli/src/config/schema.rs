//! The JSON Schema of `legwork.toml`, for editors.

use legwork::port::Ability;
use legwork::web::search::ENGINES;
use serde_json::{Map, Value, json};

use super::bounds::Answers;
use super::expects::Expects;
use super::key::{BUDGET, KEYS, Key};

/// The JSON Schema of `legwork.toml`.
pub(crate) fn schema() -> Value {
    let mut properties = properties("");
    let limits = json!({
        "type": "object",
        "description": "The limits of an execution",
        "additionalProperties": false,
        "properties": self::properties(BUDGET),
    });
    properties.insert(BUDGET.to_owned(), limits);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "legwork.toml",
        "description": "Settings of the legwork command",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

/// The keys of a table; of the top level, where its name is empty.
fn properties(table: &str) -> Map<String, Value> {
    let keys = KEYS.iter().filter(|key| key.table == table);
    let described = |key: &Key| {
        let mut schema = of(key.expects);
        if let Some(object) = schema.as_object_mut() {
            object.insert("description".to_owned(), Value::from(key.help));
        }
        (key.name.to_owned(), schema)
    };
    keys.map(described).collect()
}

fn of(expects: Expects) -> Value {
    let text = json!({"type": "string", "minLength": 1});
    match expects {
        Expects::Model => json!({"type": "string", "pattern": "^[^:]+:.+$"}),
        Expects::Text => text,
        Expects::Store => {
            json!({"type": "string", "pattern": "^(sqlite:.+|jsonl:.+|postgres(ql)?://.+|redis(s|\\+unix)?://.+|memory:)$"})
        }
        Expects::Sandbox | Expects::Color | Expects::Content | Expects::AskFor => {
            json!({"enum": expects.names()})
        }
        Expects::Network => json!({"anyOf": [
            {"enum": ["off", "all"]},
            {"type": "array", "items": text, "minItems": 1},
        ]}),
        Expects::Paths | Expects::Folders => json!({"type": "array", "items": text}),
        Expects::Count => json!({"type": "integer", "minimum": 1}),
        Expects::Money => json!({"type": "number", "exclusiveMinimum": 0}),
        Expects::Bytes => {
            json!({"type": "string", "pattern": "^ *[0-9_]+ *([KMGTkmgt]?[iI]?[bB])?$"})
        }
        Expects::Duration | Expects::TimeLimit => {
            json!({"type": "string", "pattern": "^ *[0-9][0-9. ]*[a-zA-Zµ]"})
        }
        Expects::Keys => tables(&key_source()),
        Expects::Providers => tables(&json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {"base_url": text},
        })),
        Expects::Bounds => bounds(),
        Expects::Web => {
            let hosts = json!({"type": "array", "items": text});
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {"allow": hosts, "deny": hosts},
            })
        }
        Expects::Permissions => {
            let rules = json!({"type": "array", "items": text});
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {"allow": rules, "ask": rules, "deny": rules},
            })
        }
        Expects::Search => json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["provider"],
            "properties": {
                "provider": {"enum": ENGINES.iter().map(|engine| engine.name).collect::<Vec<_>>()},
                "base_url": text,
            },
        }),
        Expects::Mcp => mcp(),
        Expects::Models => models(),
    }
}

/// A table for each server of the Model Context Protocol, by its name.
fn mcp() -> Value {
    let text = json!({"type": "string", "minLength": 1});
    let list = json!({"type": "array", "items": text});
    let one = json!({"anyOf": [text, key_source()]});
    let given = json!({"type": "object", "additionalProperties": one});
    json!({
        "type": "object",
        "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,32}$"},
        "additionalProperties": {
            "type": "object",
            "additionalProperties": false,
            "oneOf": [{"required": ["command"]}, {"required": ["url"]}],
            "properties": {
                "command": {"type": "array", "items": text, "minItems": 1},
                "env": given,
                "url": {"type": "string", "pattern": "^https?://.+$"},
                "transport": {"enum": ["http", "sse"]},
                "headers": given,
                "client_id": text,
                "client_secret": one,
                "scopes": list,
                "trusted": {"type": "boolean"},
                "resources": {"type": "boolean"},
                "sampling": {"type": "boolean"},
                "tools": list,
                "except": list,
                "timeout": of(Expects::TimeLimit),
            },
        },
    })
}

/// Where a secret is: exactly one of three.
fn key_source() -> Value {
    let text = json!({"type": "string", "minLength": 1});
    json!({
        "type": "object",
        "additionalProperties": false,
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {
            "env": text,
            "file": text,
            "command": {"anyOf": [text, {"type": "array", "items": text, "minItems": 1}]},
        },
    })
}

/// A table for each model, by its whole name.
fn models() -> Value {
    let usd = json!({"type": "number", "minimum": 0, "maximum": 1_000_000});
    let price = |more: Value| {
        let mut properties = json!({
            "input": usd, "output": usd, "cache_read": usd, "cache_write": usd,
            "cache_write_1h": usd,
        });
        if let (Some(all), Value::Object(more)) = (properties.as_object_mut(), more) {
            all.extend(more);
        }
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["input", "output"],
            "properties": properties,
        })
    };
    let tiers =
        json!({"type": "array", "items": price(json!({"input_tokens": of(Expects::Count)}))});
    let abilities = json!({"type": "array", "items": {"enum": Ability::ALL.map(Ability::name)}});
    json!({
        "type": "object",
        "propertyNames": {"pattern": "^[^:]+:.+$"},
        "additionalProperties": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "context_window": of(Expects::Count),
                "max_output": of(Expects::Count),
                "price": price(json!({"above": tiers})),
                "can": abilities,
                "cannot": abilities,
            },
        },
    })
}

/// The table of bounds: numbers and durations.
fn bounds() -> Value {
    let of = |value: &Value| match value.is_string() {
        true => of(Expects::TimeLimit),
        false => of(Expects::Count),
    };
    let usual = Answers::default().listed();
    let properties: Map<_, _> =
        usual.into_iter().map(|(key, value)| (key.to_owned(), of(&value))).collect();
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

/// A table for each provider, by its name.
fn tables(each: &Value) -> Value {
    json!({
        "type": "object",
        "propertyNames": {"pattern": "^[^:]+$"},
        "additionalProperties": each,
    })
}
