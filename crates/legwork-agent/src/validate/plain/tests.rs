use proptest::prelude::*;
use serde_json::{Value, json};

use super::{fits, is_plain};

/// Values that schemas are likely to tell apart.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-3i64..6).prop_map(Value::from),
        prop_oneof![Just(json!(1.0)), Just(json!(2.5)), Just(json!(u64::MAX)), Just(json!(1e300))],
        "[abé]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A keyword with what may stand behind it, rarely something that may not.
fn keyword(inner: BoxedStrategy<Value>) -> impl Strategy<Value = (String, Value)> {
    let name = "null|boolean|object|array|number|string|integer";
    let schemas = prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from);
    let with = prop_oneof![
        4 => name.prop_map(|name: String| ("type".to_owned(), name.into())),
        1 => prop::collection::vec(name, 0..3).prop_map(|all| ("type".to_owned(), all.into())),
        4 => prop::collection::btree_map("[abc]", inner.clone(), 0..3).prop_map(|fields| {
            ("properties".to_owned(), Value::Object(fields.into_iter().collect()))
        }),
        2 => prop::collection::vec("[abc]", 0..3).prop_map(|all| ("required".to_owned(), all.into())),
        2 => ("items|additionalProperties|not", inner),
        2 => ("anyOf|allOf|oneOf|prefixItems", schemas),
        2 => ("enum", prop::collection::vec(value(), 0..3).prop_map(Value::from)),
        2 => ("const|default", value()),
        2 => (
            "minimum|maximum|minLength|maxLength|minItems|maxItems|exclusiveMinimum|multipleOf",
            (-2i64..4).prop_map(Value::from),
        ),
        1 => ("title|description|format|\\$comment|deprecated|examples|whatever", value()),
        1 => ("type|properties|required|items|enum|minimum|minItems|anyOf|pattern", value()),
    ];
    with.prop_map(|(key, value)| (key, value))
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![any::<bool>().prop_map(Value::from), Just(json!({}))].boxed();
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop::collection::vec(keyword(inner.boxed()), 0..4)
            .prop_map(|all| Value::Object(all.into_iter().collect()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn s6_1_what_is_proved_to_fit_is_valid(
        schema in schema(),
        values in prop::collection::vec(value(), 6),
    ) {
        let compiled = jsonschema::validator_for(&schema);
        prop_assert!(!is_plain(&schema) || compiled.is_ok(), "not sound: {schema}");
        let Ok(validator) = compiled else { return Ok(()) };
        for value in values {
            let proved = is_plain(&schema) && fits(&schema, &value);
            prop_assert!(!proved || validator.is_valid(&value), "{value} does not fit {schema}");
        }
    }
}

#[test]
fn s6_1_what_tools_usually_get_is_proved() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Search",
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for", "minLength": 1},
            "limit": {"type": ["integer", "null"], "format": "uint32", "minimum": 0, "maximum": 50},
            "kinds": {"type": "array", "items": {"enum": ["file", "folder"]}, "maxItems": 2},
            "deep": {"anyOf": [{"type": "boolean"}, {"type": "null"}], "default": null},
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    assert!(is_plain(&schema));
    for value in [
        json!({"query": "x"}),
        json!({"query": "x", "limit": 50, "kinds": ["file", "folder"], "deep": true}),
        json!({"query": "é", "limit": null, "kinds": [], "deep": null}),
    ] {
        assert!(fits(&schema, &value), "{value}");
    }
    for value in [
        json!({}),
        json!({"query": ""}),
        json!({"query": 1}),
        json!({"query": "x", "limit": -1}),
        json!({"query": "x", "limit": 51}),
        json!({"query": "x", "limit": 1.5}),
        json!({"query": "x", "kinds": ["file", "link"]}),
        json!({"query": "x", "kinds": ["file", "file", "file"]}),
        json!({"query": "x", "deep": 1}),
        json!({"query": "x", "other": 1}),
        json!("x"),
    ] {
        assert!(!fits(&schema, &value), "{value}");
    }
}

#[test]
fn s6_1_other_schemas_are_left_to_the_whole_validator() {
    for schema in [
        json!({"$ref": "#/$defs/a", "$defs": {"a": true}}),
        json!({"oneOf": [true]}),
        json!({"pattern": "a"}),
        json!({"type": "strin"}),
        json!({"type": []}),
        json!({"properties": {"a": {"type": 1}}}),
        json!({"required": ["a", "a"]}),
        json!({"minLength": -1}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#"}),
        json!(1),
    ] {
        assert!(!is_plain(&schema), "{schema}");
    }
}
