//! A schema of a dialect takes each value that the full one takes.

use legwork_output::schema::{Dialect, Schema};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A schema, a value that fits it, and that value as it is sent where all keys are required.
#[derive(Debug, Clone)]
struct Case {
    schema: Value,
    value: Value,
    sent: Value,
    takes_null: bool,
}

impl Case {
    fn leaf(schema: Value, value: Value) -> Self {
        Self { schema, sent: value.clone(), value, takes_null: false }
    }
}

fn leaf() -> impl Strategy<Value = Case> {
    prop_oneof![
        "[a-z]{1,5}"
            .prop_map(|text| Case::leaf(json!({"type": "string", "minLength": 1}), json!(text))),
        (0..=9_i64).prop_map(|n| {
            Case::leaf(
                json!({"type": "integer", "minimum": 0, "maximum": 9, "format": "uint8"}),
                json!(n),
            )
        }),
        any::<bool>().prop_map(|b| Case::leaf(json!({"type": "boolean"}), json!(b))),
        (0..2_usize).prop_map(|at| {
            Case::leaf(
                json!({"type": "string", "enum": ["red", "blue"]}),
                json!(["red", "blue"][at]),
            )
        }),
        Just(Case::leaf(json!({"const": "fixed"}), json!("fixed"))),
        Just(Case::leaf(
            json!({"type": "string", "format": "date", "default": "2026-01-01"}),
            json!("2026-01-02")
        )),
    ]
}

/// A property: its case, whether it is required, and whether it is there.
type Property = (Case, bool, bool);

fn object(properties: Vec<Property>) -> Case {
    let [mut schemas, mut value, mut sent] = [(); 3].map(|()| Map::new());
    let mut required = Vec::new();
    for (at, (case, is_required, is_there)) in properties.into_iter().enumerate() {
        let key = format!("k{at}");
        schemas.insert(key.clone(), case.schema);
        if is_required {
            required.push(key.clone());
        }
        match is_required || is_there {
            true => {
                value.insert(key.clone(), case.value);
                sent.insert(key, case.sent);
            }
            false => {
                if case.takes_null {
                    value.insert(key.clone(), Value::Null);
                }
                sent.insert(key, Value::Null);
            }
        }
    }
    let schema = json!({"type": "object", "properties": schemas, "required": required});
    Case { schema, value: value.into(), sent: sent.into(), takes_null: false }
}

fn array(case: Case, count: usize) -> Case {
    let schema =
        json!({"type": "array", "items": case.schema, "maxItems": 3, "uniqueItems": false});
    let [value, sent] = [case.value, case.sent].map(|item| json!(vec![item; count]));
    Case { schema, value, sent, takes_null: false }
}

fn nullable(case: Case, is_null: bool) -> Case {
    let schema = json!({"anyOf": [case.schema, {"type": "null"}]});
    let (value, sent) = if is_null { (Value::Null, Value::Null) } else { (case.value, case.sent) };
    Case { schema, value, sent, takes_null: true }
}

/// One of two objects, by their tags.
fn union(one: Case, other: Case, which: bool) -> Case {
    let tagged = |case: &Case, tag: &str| {
        let inner = object(vec![(case.clone(), true, true), (case.clone(), false, false)]);
        let mut all = [inner.schema, inner.value, inner.sent];
        all[0]["properties"]["kind"] = json!({"type": "string", "const": tag});
        all[0]["required"] = json!(["k0", "kind"]);
        all[1]["kind"] = json!(tag);
        all[2]["kind"] = json!(tag);
        all
    };
    let [a, b] = [tagged(&one, "one"), tagged(&other, "other")];
    let schema = json!({"oneOf": [a[0], b[0]]});
    let [_, value, sent] = if which { a } else { b };
    Case { schema, value, sent, takes_null: false }
}

fn case() -> impl Strategy<Value = Case> {
    let inner = leaf().prop_recursive(4, 24, 4, |inner| {
        let property = (inner.clone(), any::<bool>(), any::<bool>());
        prop_oneof![
            proptest::collection::vec(property, 1..4).prop_map(object),
            (inner.clone(), 0..3_usize).prop_map(|(case, count)| array(case, count)),
            (inner.clone(), any::<bool>()).prop_map(|(case, is_null)| nullable(case, is_null)),
            (inner.clone(), inner, any::<bool>()).prop_map(|(a, b, which)| union(a, b, which)),
        ]
    });
    proptest::collection::vec((inner, any::<bool>(), any::<bool>()), 1..4).prop_map(object)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn each_value_of_the_full_schema_can_be_sent(case in case()) {
        let schema = Schema::new(case.schema).unwrap();
        prop_assert_eq!(schema.check(&case.value), Ok(()));
        let strict = schema.fit(Dialect::OpenAi).unwrap();
        let compiled = Schema::new((**strict.json()).clone()).unwrap();
        prop_assert_eq!(compiled.check(&case.sent), Ok(()), "{}", strict.json());
        prop_assert_eq!(strict.restore(case.sent), case.value.clone());
        let anthropic = schema.fit(Dialect::Anthropic).unwrap();
        let compiled = Schema::new((**anthropic.json()).clone()).unwrap();
        prop_assert_eq!(compiled.check(&case.value), Ok(()), "{}", anthropic.json());
        prop_assert_eq!(anthropic.restore(case.value.clone()), case.value.clone());
        let gemini = schema.fit(Dialect::Gemini).unwrap();
        let compiled = Schema::new((**gemini.json()).clone()).unwrap();
        prop_assert_eq!(compiled.check(&case.value), Ok(()), "{}", gemini.json());
    }
}
