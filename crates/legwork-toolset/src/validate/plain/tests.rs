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

/// A plain schema, the values that are proved to fit it, and others.
fn proves<const N: usize, const M: usize>(schema: Value, fit: [Value; N], others: [Value; M]) {
    assert!(is_plain(&schema), "{schema}");
    fit.iter().for_each(|value| assert!(fits(&schema, value), "{value} fits {schema}"));
    others.iter().for_each(|value| assert!(!fits(&schema, value), "{value} and {schema}"));
}

#[test]
fn s6_1_each_keyword_proves_what_fits_it_and_nothing_else() {
    for says_nothing in [
        json!({}),
        json!(true),
        json!({"title": "A", "description": "b", "format": "c", "$comment": "d"}),
        json!({"deprecated": true, "readOnly": false, "writeOnly": true}),
        json!({"examples": [1], "default": 2}),
    ] {
        proves(says_nothing, [json!(null), json!(1), json!({"a": []})], []);
    }
    proves(json!(false), [], [json!(null), json!({})]);
    proves(json!({"const": 2}), [json!(2)], [json!(3)]);
    proves(json!({"enum": [1, "a"]}), [json!(1), json!("a")], [json!("b")]);
    let of_types = [
        ("null", json!(null)),
        ("boolean", json!(true)),
        ("object", json!({})),
        ("array", json!([])),
        ("number", json!(1.5)),
        ("string", json!("a")),
        ("integer", json!(-1)),
    ];
    for (name, value) in &of_types {
        proves(json!({"type": name}), [value.clone()], []);
        proves(json!({"type": [name]}), [value.clone()], []);
        let both = |other: &str| name == &other || [*name, other] == ["integer", "number"];
        for (other, _) in of_types.iter().filter(|(other, _)| !both(other)) {
            proves(json!({"type": other}), [], [value.clone()]);
        }
    }
    proves(json!({"type": "integer"}), [json!(u64::MAX)], [json!(1.5)]);
    let field = json!({"properties": {"a": {"type": "string"}}});
    proves(field, [json!({"a": "x"}), json!({"b": 1}), json!(1)], [json!({"a": 1})]);
    proves(json!({"required": ["a"]}), [json!({"a": 1}), json!(1)], [json!({"b": 1})]);
    let more = json!({"properties": {"a": true}, "additionalProperties": {"type": "null"}});
    proves(more, [json!({"a": 1, "b": null}), json!(1)], [json!({"b": 1})]);
    proves(json!({"items": {"const": 1}}), [json!([1, 1]), json!("x")], [json!([1, 2])]);
    let consts = json!([{"type": "integer"}, {"minimum": 2}]);
    proves(json!({"anyOf": consts}), [json!(1), json!(2), json!("x")], [json!(1.5)]);
    proves(json!({"allOf": consts}), [json!(2)], [json!(1), json!("x")]);
}

#[test]
fn s6_1_bounds_hold_at_their_edges_and_say_nothing_of_other_types() {
    let other = || json!({"a": 1});
    proves(json!({"minimum": -2}), [json!(-2), json!(3), other()], [json!(-3), json!(2.5)]);
    proves(json!({"maximum": 2}), [json!(2), json!(-3), other()], [json!(3), json!(1.5)]);
    proves(json!({"minLength": 2}), [json!("éé"), json!("ééé"), other()], [json!("é")]);
    proves(json!({"maxLength": 2}), [json!("éé"), json!(""), other()], [json!("ééé")]);
    proves(json!({"minItems": 1}), [json!([1]), json!([1, 2]), other()], [json!([])]);
    proves(json!({"maxItems": 1}), [json!([1]), json!([]), other()], [json!([1, 2])]);
    proves(json!({"maxLength": u64::MAX}), [json!("x")], []);
}

#[test]
fn s6_1_a_keyword_with_a_value_of_another_shape_is_not_plain() {
    for schema in [
        json!({"title": 1}),
        json!({"deprecated": 1}),
        json!({"examples": 1}),
        json!({"type": ["null", "null"]}),
        json!({"type": ["null", "nothing"]}),
        json!({"enum": 1}),
        json!({"properties": 1}),
        json!({"properties": {"a": 1}}),
        json!({"required": "a"}),
        json!({"required": ["a", 1]}),
        json!({"additionalProperties": 1}),
        json!({"items": 1}),
        json!({"anyOf": []}),
        json!({"anyOf": [true, 1]}),
        json!({"allOf": true}),
        json!({"minimum": 1.5}),
        json!({"maxItems": -1}),
    ] {
        assert!(!is_plain(&schema), "{schema}");
    }
}
