use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Dialect, Schema, Wrapper};

/// A person.
#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Person {
    /// The full name.
    #[schemars(length(min = 1))]
    name: String,
    age: Option<u8>,
    #[serde(default)]
    tags: Vec<String>,
    home: Option<Address>,
    job: Job,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Address {
    city: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used")]
enum Job {
    Clerk {
        desk: Option<u32>,
        #[serde(default)]
        floor: i64,
    },
    Pilot {
        hours: f64,
    },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Node {
    value: i64,
    next: Option<Box<Node>>,
}

fn fitted(schema: &Schema, dialect: Dialect) -> Value {
    (**schema.fit(dialect).unwrap_or_else(|unfit| panic!("{unfit}")).json()).clone()
}

/// All keywords of a schema and of those inside it.
fn keywords(schema: &Value, found: &mut Vec<String>) {
    let Value::Object(all) = schema else {
        if let Value::Array(items) = schema {
            items.iter().for_each(|item| keywords(item, found));
        }
        return;
    };
    for (keyword, value) in all {
        found.push(keyword.clone());
        match keyword.as_str() {
            "properties" | "$defs" => {
                value.as_object().unwrap().values().for_each(|inner| keywords(inner, found));
            }
            "const" | "enum" | "default" => {}
            _ => keywords(value, found),
        }
    }
}

#[test]
fn openai_requires_each_property_and_allows_no_other() {
    let fitted = fitted(&Schema::of::<Person>().unwrap(), Dialect::OpenAi);
    assert_eq!(fitted["required"], json!(["age", "home", "job", "name", "tags"]));
    assert_eq!(fitted["additionalProperties"], false);
    assert_eq!(fitted["properties"]["age"]["type"], json!(["integer", "null"]));
    assert_eq!(fitted["properties"]["tags"]["type"], json!(["array", "null"]));
    assert_eq!(fitted["properties"]["name"]["description"], "The full name. (minLength: 1)");
    let clerk = &fitted["$defs"]["Job"]["anyOf"][0];
    assert_eq!(clerk["required"], json!(["desk", "floor", "kind"]));
    let mut found = Vec::new();
    keywords(&fitted, &mut found);
    for unknown in ["oneOf", "allOf", "default", "minLength", "$schema", "format"] {
        assert!(!found.iter().any(|it| it == unknown), "{unknown} in {fitted}");
    }
}

#[test]
fn anthropic_has_no_bounds() {
    let schema = Schema::of::<Person>().unwrap();
    let fitted = fitted(&schema, Dialect::Anthropic);
    assert_eq!(fitted["required"], json!(["job", "name"]));
    assert_eq!(fitted["additionalProperties"], false);
    let age = &fitted["properties"]["age"];
    assert_eq!(age["description"], "(maximum: 255, minimum: 0)");
    let left_out = schema.fit(Dialect::Anthropic).unwrap();
    let paths: Vec<_> =
        left_out.left_out().iter().map(|it| format!("{}#{}", it.path, it.keyword)).collect();
    assert!(paths.contains(&"/properties/age#maximum".to_owned()), "{paths:?}");
}

#[test]
fn gemini_has_no_references() {
    let fitted = fitted(&Schema::of::<Person>().unwrap(), Dialect::Gemini);
    let mut found = Vec::new();
    keywords(&fitted, &mut found);
    for unknown in ["$ref", "$defs", "const", "additionalProperties", "oneOf", "nullable"] {
        assert!(!found.iter().any(|it| it == unknown), "{unknown} in {fitted}");
    }
    assert_eq!(fitted["properties"]["age"]["type"], json!(["integer", "null"]));
    assert_eq!(fitted["properties"]["home"]["anyOf"][1], json!({"type": "null"}));
    let kind = &fitted["properties"]["job"]["anyOf"][1]["properties"]["kind"];
    assert_eq!((&kind["type"], &kind["enum"]), (&json!("string"), &json!(["pilot"])));
}

#[test]
fn gemini_has_null_beside_values() {
    let values = |values: Value, types: Value| {
        let schema =
            json!({"type": "object", "properties": {"it": {"type": types, "enum": values}}});
        fitted(&Schema::new(schema).unwrap(), Dialect::Gemini)["properties"]["it"].clone()
    };
    assert_eq!(values(json!([1, 2]), json!("integer")), json!({"type": "integer", "enum": [1, 2]}));
    let both = values(json!(["red", null]), json!(["string", "null"]));
    assert_eq!(both, json!({"anyOf": [{"type": "string", "enum": ["red"]}, {"type": "null"}]}));
    let other = values(json!([true, null]), json!(["boolean", "null"]));
    let told = json!({"type": ["boolean", "null"], "description": "(one of [true,null])"});
    assert_eq!(other, told);
}

#[test]
fn what_no_schema_of_a_dialect_can_say_is_refused() {
    let schema = |property: Value| {
        let schema = json!({"type": "object", "properties": {"it": property}, "required": ["it"]});
        Schema::new(schema).unwrap()
    };
    let map = schema(json!({"type": "object", "additionalProperties": {"type": "integer"}}));
    let or_null = json!({"type": ["object", "null"], "additionalProperties": {"type": "string"}});
    let or_null = schema(or_null);
    let list_or_null = schema(json!({"type": ["array", "null"]}));
    let any = schema(json!(true));
    let both = schema(json!({"allOf": [{"type": "integer"}, {"minimum": 1}]}));
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini] {
        for schema in [&map, &or_null, &list_or_null, &any, &both] {
            let unfit = schema.fit(dialect).unwrap_err();
            assert_eq!(unfit.path, "/properties/it", "{unfit}");
        }
    }
    assert_eq!(map.fit(Dialect::Full).unwrap().json(), map.json());
    assert!(Schema::new(json!({"type": "string"})).unwrap().fit(Dialect::OpenAi).is_err());
}

#[test]
fn the_provider_of_a_model_has_a_dialect() {
    let dialects = [
        ("openai:gpt-5", Dialect::OpenAi),
        ("anthropic:claude-sonnet-4-6", Dialect::Anthropic),
        ("bedrock:qwen.qwen3-32b-v1:0", Dialect::Anthropic),
        ("vertex:gemini-3-pro", Dialect::Gemini),
        ("deepseek:deepseek-chat", Dialect::Full),
    ];
    for (model, dialect) in dialects {
        assert_eq!(Dialect::of_model(model), dialect, "{model}");
    }
}

#[test]
fn recursion_stays_where_it_is_known() {
    let schema = Schema::of::<Node>().unwrap();
    let fitted = fitted(&schema, Dialect::OpenAi);
    assert!(Schema::new(fitted).unwrap().check(&json!({"value": 1, "next": null})).is_ok());
    for dialect in [Dialect::Anthropic, Dialect::Gemini] {
        assert_eq!(schema.fit(dialect).unwrap_err().what, "a type that contains itself");
    }
    let list = Schema::of::<Vec<Node>>().unwrap();
    let wrapped = Wrapper::of(&list).unwrap().wrap(&list).unwrap();
    let value = json!({"items": [{"value": 1, "next": {"value": 2}}]});
    assert_eq!(wrapped.check(&value), Ok(()));
    assert!(wrapped.check(&json!({"items": [{"value": 1, "next": {}}]})).is_err());
}

#[test]
fn references_of_older_drafts_lead_somewhere() {
    let item =
        json!({"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]});
    let of = |to: &str| {
        json!({"type": "object", "properties": {"item": {"$ref": to}, "other": item.clone()},
        "required": ["item"], "definitions": {"Item": item}})
    };
    let union = json!({"oneOf": [{"$ref": "#/definitions/Item"}, {"type": "null"}], "definitions": {"Item": item}});
    let union = Schema::new(union).unwrap();
    let wrapped = Wrapper::of(&union).unwrap().wrap(&union).unwrap();
    assert_eq!(wrapped.check(&json!({"value": {"code": "A"}})), Ok(()));
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini] {
        for to in ["#/definitions/Item", "#/properties/other"] {
            let fitted = fitted(&Schema::new(of(to)).unwrap(), dialect);
            let compiled = Schema::new(fitted.clone()).unwrap_or_else(|error| panic!("{error}"));
            let value = json!({"item": {"code": "A"}, "other": {"code": "B"}});
            assert_eq!(compiled.check(&value), Ok(()), "{dialect}: {fitted}");
            assert!(compiled.check(&json!({"item": {}, "other": {"code": "B"}})).is_err());
        }
        let fitted = fitted(&wrapped, dialect);
        assert!(Schema::new(fitted).unwrap().check(&json!({"value": {}})).is_err(), "{dialect}");
    }
    let looped = json!({"type": "object", "properties": {"a": {"type": "object", "properties":
        {"b": {"$ref": "#/properties/a"}}}}});
    let unfit = Schema::new(looped).unwrap().fit(Dialect::OpenAi).unwrap_err();
    assert_eq!(unfit.what, "a type that contains itself");
}

#[test]
fn an_object_of_any_keys_is_not_closed() {
    let open = Schema::new(json!({"type": "object"})).unwrap();
    let inside =
        json!({"type": "object", "properties": {"it": {"type": "object"}}, "required": ["it"]});
    let empty = json!({"type": "object", "additionalProperties": false});
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini] {
        assert_eq!(open.fit(dialect).unwrap_err().what, "an object without properties");
        let inside = Schema::new(inside.clone()).unwrap().fit(dialect).unwrap_err();
        assert_eq!(inside.path, "/properties/it");
        let empty = Schema::new(empty.clone()).unwrap().fit(dialect);
        assert_eq!(empty.is_ok(), dialect != Dialect::Gemini);
    }
}

/// Checks that a value that the full schema takes comes from one that the fitted one takes.
fn check_restored(schema: &Schema, sent: &Value, wanted: &Value) {
    let fitted = schema.fit(Dialect::OpenAi).unwrap();
    let compiled = Schema::new((**fitted.json()).clone()).unwrap();
    assert_eq!(compiled.check(sent), Ok(()), "the fitted schema takes {sent}");
    let restored = fitted.restore(sent.clone());
    assert_eq!(&restored, wanted);
    assert_eq!(schema.check(&restored), Ok(()));
}

#[test]
fn nulls_that_stand_for_absent_properties_are_removed() {
    let schema = Schema::of::<Person>().unwrap();
    let job = json!({"kind": "clerk", "desk": null, "floor": null});
    check_restored(
        &schema,
        &json!({"name": "Ann", "age": null, "tags": null, "home": {"city": "Bonn"}, "job": job}),
        &json!({"name": "Ann", "age": null, "home": {"city": "Bonn"}, "job": {"kind": "clerk", "desk": null}}),
    );
    let list = Schema::of::<Vec<Job>>().unwrap();
    let wrapped = Wrapper::of(&list).unwrap().wrap(&list).unwrap();
    check_restored(
        &wrapped,
        &json!({"items": [job, {"kind": "pilot", "hours": 2.5}]}),
        &json!({"items": [{"kind": "clerk", "desk": null}, {"kind": "pilot", "hours": 2.5}]}),
    );
}

#[test]
fn the_verdict_is_that_of_the_full_schema() {
    let schema = Schema::of::<Person>().unwrap();
    let value = |name: &str, age: i64| json!({"name": name, "age": age, "job": {"kind": "pilot", "hours": 1}});
    assert_eq!(schema.check(&value("Ann", 255)), Ok(()));
    let problems = schema.check(&value("", 256)).unwrap_err();
    let mut paths: Vec<_> = problems.iter().map(|problem| problem.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/age", "/name"]);
    assert!(problems.iter().any(|it| it.to_string().starts_with("at /age: 256 ")), "{problems:?}");
}

#[test]
fn what_is_no_object_is_wrapped() {
    let wrapper = |schema: &Schema| Wrapper::of(schema).map(Wrapper::key);
    assert_eq!(wrapper(&Schema::of::<Person>().unwrap()), None);
    assert_eq!(wrapper(&Schema::of::<u32>().unwrap()), Some("value"));
    assert_eq!(wrapper(&Schema::of::<Job>().unwrap()), Some("value"));
    assert_eq!(wrapper(&Schema::of::<Vec<u32>>().unwrap()), Some("items"));
    let schema = Schema::of::<u32>().unwrap();
    let wrapper = Wrapper::of(&schema).unwrap();
    let wrapped = wrapper.wrap(&schema).unwrap();
    assert_eq!(wrapped.check(&json!({"value": 7})), Ok(()));
    assert!(wrapped.check(&json!({"value": -7})).is_err());
    assert_eq!(wrapper.unwrap(json!({"value": 7})), json!(7));
    assert_eq!(wrapper.unwrap(json!(7)), json!(7));
    assert_eq!(wrapper.unwrap(json!({"value": 7, "x": 1})), json!({"value": 7, "x": 1}));
}

#[test]
fn tuples_and_sets_are_checked_here() {
    let schema = Schema::of::<Vec<(String, u8)>>().unwrap();
    let wrapped = Wrapper::of(&schema).unwrap().wrap(&schema).unwrap();
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Gemini] {
        let fitted = wrapped.fit(dialect).unwrap();
        assert!(fitted.left_out().iter().any(|it| it.keyword == "prefixItems"));
        let compiled = Schema::new((**fitted.json()).clone()).unwrap();
        assert_eq!(compiled.check(&json!({"items": [["a", 1]]})), Ok(()), "{dialect}");
    }
    assert!(wrapped.check(&json!({"items": [[1, "a"]]})).is_err());
}

#[test]
fn references_that_multiply_are_refused() {
    let mut definitions = serde_json::Map::new();
    for at in 0..40 {
        let next = json!({"$ref": format!("#/$defs/D{}", at + 1)});
        let both = json!({"type": "object", "properties": {"a": next, "b": next}});
        definitions.insert(format!("D{at}"), both);
    }
    definitions.insert("D40".to_owned(), json!({"type": "string"}));
    let schema = json!({
        "type": "object", "properties": {"it": {"$ref": "#/$defs/D0"}}, "$defs": definitions,
    });
    let schema = Schema::new(schema).unwrap();
    assert!(schema.fit(Dialect::Gemini).is_err());
    assert!(schema.fit(Dialect::OpenAi).is_ok());
}

#[test]
fn a_schema_without_an_end_is_checked_to_an_end() {
    for looped in [json!({"$ref": "#"}), json!({"anyOf": [{"$ref": "#"}, {"type": "string"}]})] {
        // Whether it is valid is not said; that nothing overflows is.
        if let Ok(schema) = Schema::new(looped) {
            let _ = schema.check(&json!(7));
            assert!(schema.fit(Dialect::OpenAi).is_err());
        }
    }
}

#[test]
fn a_schema_that_is_none_is_refused() {
    assert!(Schema::new(json!({"type": "strin"})).unwrap_err().to_string().contains("not valid"));
    assert!(Schema::new(json!(7)).is_err());
}
