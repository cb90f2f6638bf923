//! The JSON Schema says what the parser does.

use jsonschema::Validator;
use legwork_definitions::{AgentDefinition, Format};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::arbitrary::{self, definition, value};

fn validator() -> Validator {
    jsonschema::validator_for(AgentDefinition::schema().as_value()).unwrap()
}

fn parses(value: &Value) -> bool {
    AgentDefinition::parse(&value.to_string(), Format::Json).is_ok()
}

/// To write it anew: `UPDATE_SCHEMA=1 cargo nextest run -p legwork-definitions schema`.
#[test]
fn the_published_schema_is_this_one() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/agent.schema.json");
    let schema = format!("{:#}\n", AgentDefinition::schema().as_value());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(file, &schema).unwrap();
    }
    let published = std::fs::read_to_string(file).unwrap_or_default();
    // The order of names follows from features of serde_json that others may turn on.
    let (published, schema): (Value, Value) =
        (serde_json::from_str(&published).unwrap(), serde_json::from_str(&schema).unwrap());
    assert!(published == schema, "write docs/agent.schema.json anew with UPDATE_SCHEMA=1");
    jsonschema::meta::validate(AgentDefinition::schema().as_value()).unwrap();
}

#[test]
fn schema_and_parser_accept_and_refuse_the_same() {
    let validator = validator();
    let with = |key: &str, value: Value| {
        let mut agent = json!({"name": "a", "description": "b"});
        agent[key] = value;
        agent
    };
    let cases = [
        (json!({"name": "a", "description": "b"}), true),
        (json!({"name": "a"}), false),
        (json!({"description": "b"}), false),
        (json!([]), false),
        (json!("a"), false),
        (with("name", json!("")), false),
        (with("name", json!("A")), false),
        (with("name", json!("a\n")), false),
        (with("name", json!("a".repeat(64))), true),
        (with("name", json!("a".repeat(65))), false),
        (with("name", json!(1)), false),
        (with("description", json!(" \n")), false),
        (with("description", json!("\u{feff}\u{a0}")), false),
        (with("description", json!("é".repeat(1024))), true),
        (with("description", json!("é".repeat(1025))), false),
        (with("model", json!("a:b")), true),
        (with("model", json!("a:b:c/d")), true),
        (with("model", json!("a")), false),
        (with("model", json!(":b")), false),
        (with("model", json!("a:")), false),
        (with("model", json!("a: b")), false),
        (with("model", json!("a:é")), false),
        (with("model", json!(null)), false),
        (with("model", json!(format!("a:{}", "b".repeat(254)))), true),
        (with("model", json!(format!("a:{}", "b".repeat(255)))), false),
        (with("tools", json!([])), true),
        (with("tools", json!(["a", "A", "a.b:c/d-e_f"])), true),
        (with("tools", json!(["a", "a"])), false),
        (with("tools", json!(["a b"])), false),
        (with("tools", json!("a")), false),
        (with("tools", json!(null)), false),
        (with("tools", json!(["a".repeat(129)])), false),
        (with("denied_tools", json!(["a"])), true),
        (with("denied_tools", json!([""])), false),
        (with("mcp", json!([])), true),
        (with("mcp", json!(["git", "Docs_2"])), true),
        (with("mcp", json!(["git", "git"])), false),
        (with("mcp", json!(["a b"])), false),
        (with("mcp", json!(["a".repeat(32)])), true),
        (with("mcp", json!(["a".repeat(33)])), false),
        (with("mcp", json!("git")), false),
        (with("mcp", json!(null)), false),
        (with("skills", json!(["a-b"])), true),
        (with("skills", json!(["A"])), false),
        (with("capabilities", json!(["a", {"name": "a"}])), false),
        (with("capabilities", json!(["a", {"name": "a", "settings": null}])), true),
        (with("capabilities", json!([{"name": "a", "settings": [1, {"b": 2}]}])), true),
        (with("capabilities", json!([{"settings": 1}])), false),
        (with("capabilities", json!([{"name": "a", "x": 1}])), false),
        (with("capabilities", json!({})), false),
        (with("budget", json!({})), true),
        (with("budget", json!({"usd": 0, "time": "1.5s"})), true),
        (with("budget", json!({"time": "1h 30m 5us"})), true),
        (with("budget", json!({"time": "0s"})), true),
        (with("budget", json!({"time": 90})), false),
        (with("budget", json!({"time": ""})), false),
        (with("budget", json!({"time": "m"})), false),
        (with("budget", json!({"time": "-5m"})), false),
        (with("budget", json!({"usd": -0.1})), false),
        (with("budget", json!({"usd": "1"})), false),
        (with("budget", json!({"usd": 1_000_000_000})), true),
        (with("budget", json!({"usd": 1_000_000_000.5})), false),
        (with("budget", json!({"steps": 20.0})), true),
        (with("budget", json!({"steps": 20.5})), false),
        (with("budget", json!({"steps": 9_007_199_254_740_991u64})), true),
        (with("budget", json!({"steps": 9_007_199_254_740_992u64})), false),
        (with("budget", json!({"deadline": "2026-11-22T00:00:00Z"})), false),
        (with("budget", json!(null)), false),
        (with("metadata", json!({"a": null, "": [1.5, {"b": {}}]})), true),
        (with("metadata", json!([])), false),
        (with("instructions", json!("")), true),
        (with("instructions", json!(1)), false),
        (with("Name", json!("a")), false),
    ];
    for (value, accepted) in cases {
        assert_eq!(parses(&value), accepted, "parser: {value}");
        // The one thing here that no schema sees: a name, and the same name as a table.
        let twice = value["capabilities"] == json!(["a", {"name": "a"}]);
        assert_eq!(validator.is_valid(&value), accepted || twice, "schema: {value}");
    }
}

proptest! {
    #![proptest_config(arbitrary::cases(256))]

    #[test]
    fn whatever_is_written_or_read_fits_the_schema(
        definition in definition(),
        field in 0usize..12,
        value in value(),
    ) {
        let mut written: Value = serde_json::from_str(&definition.to_json().unwrap()).unwrap();
        let validator = validator();
        prop_assert!(validator.is_valid(&written));
        let fields = [
            "name", "description", "model", "capabilities", "tools", "denied_tools", "mcp",
            "skills", "budget", "metadata", "instructions", "other",
        ];
        written[fields[field]] = value;
        prop_assert!(!parses(&written) || validator.is_valid(&written), "{}", written);
    }
}
