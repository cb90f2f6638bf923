//! Arguments made from a schema: those that fit, and others that nearly do.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// The most that is made of a schema that refers to itself.
const DEPTH: u32 = 4;

/// Texts of arguments for a tool: mostly JSON, and mostly such that fits its schema.
pub(super) fn text(schema: &Value) -> BoxedStrategy<String> {
    let fitting = of(schema, schema, DEPTH);
    let changed = (fitting, vec((any::<prop::sample::Index>(), change()), 0..3));
    let value = changed.prop_map(|(mut value, changes)| {
        for (at, change) in changes {
            let count = nodes(&value);
            apply(&mut value, &mut at.index(count), &change);
        }
        value
    });
    let written = (value, junk(), 0..24_u8);
    written.prop_map(|(value, junk, how)| write(&value, &junk, how)).boxed()
}

/// How a value is written: sometimes as no JSON, or with a key that stands there twice.
fn write(value: &Value, junk: &Value, how: u8) -> String {
    let text = value.to_string();
    let first = value.as_object().and_then(|fields| fields.keys().next());
    match (how, first) {
        (0, _) => format!("\n{value:#}\n"),
        (1, _) => text.chars().take(text.chars().count() / 2).collect(),
        (2, Some(key)) => format!("{{{}:{junk},{}", json!(key), text.trim_start_matches('{')),
        (3, Some(key)) => format!("{},{}:{junk}}}", text.trim_end_matches('}'), json!(key)),
        (4, _) => format!("{text} {text}"),
        (5, _) => String::new(),
        _ => text,
    }
}

/// Values that fit a schema, or nearly: a keyword that is not read here may not hold.
fn of(root: &Value, schema: &Value, depth: u32) -> BoxedStrategy<Value> {
    let Some(keywords) = schema.as_object() else { return junk().boxed() };
    if let Some(path) = keywords.get("$ref").and_then(Value::as_str) {
        let target = path.strip_prefix('#').and_then(|path| root.pointer(path)).unwrap();
        return if depth == 0 { junk().boxed() } else { of(root, target, depth - 1) };
    }
    let mut choices: Vec<BoxedStrategy<Value>> = Vec::new();
    let list = |name: &str| keywords.get(name).and_then(Value::as_array);
    choices.extend(keywords.get("const").map(|value| Just(value.clone()).boxed()));
    choices.extend(
        ["enum", "examples"].into_iter().filter_map(list).map(|all| select(all.clone()).boxed()),
    );
    for alternatives in ["anyOf", "oneOf"].into_iter().filter_map(list) {
        choices.extend(alternatives.iter().map(|one| both(root, keywords, one, depth)));
    }
    if choices.is_empty() {
        choices.extend(types(keywords).iter().map(|name| typed(root, keywords, name, depth)));
    }
    proptest::strategy::Union::new(choices).boxed()
}

/// An alternative, with the fields that the schema around it has.
fn both(
    root: &Value,
    around: &Map<String, Value>,
    one: &Value,
    depth: u32,
) -> BoxedStrategy<Value> {
    let mut around = around.clone();
    around.retain(|key, _| !["anyOf", "oneOf"].contains(&key.as_str()));
    let alternative = of(root, one, depth);
    if !around.contains_key("properties") {
        return alternative;
    }
    let own = of(root, &Value::Object(around), depth);
    let joined = (own, alternative).prop_map(|(own, other)| match (own, other) {
        (Value::Object(mut own), Value::Object(other)) => {
            own.extend(other);
            Value::Object(own)
        }
        (_, other) => other,
    });
    joined.boxed()
}

fn types(keywords: &Map<String, Value>) -> Vec<String> {
    let name = |value: &Value| value.as_str().map(str::to_owned);
    match keywords.get("type") {
        Some(Value::Array(all)) => all.iter().filter_map(name).collect(),
        Some(one) => name(one).into_iter().collect(),
        None if keywords.contains_key("properties") => vec!["object".to_owned()],
        None => vec!["any".to_owned()],
    }
}

fn typed(
    root: &Value,
    keywords: &Map<String, Value>,
    name: &str,
    depth: u32,
) -> BoxedStrategy<Value> {
    match name {
        "null" => Just(Value::Null).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "integer" => integer(keywords),
        "number" => prop_oneof![
            integer(keywords),
            prop_oneof![Just(0.5), Just(-2.25), Just(1e300), -1.0..4.0].prop_map(Value::from),
        ]
        .boxed(),
        "string" => string(keywords),
        "array" => array(root, keywords, depth),
        "object" => object(root, keywords, depth),
        _ => junk().boxed(),
    }
}

/// Whole numbers at the bounds of a schema, and others.
fn integer(keywords: &Map<String, Value>) -> BoxedStrategy<Value> {
    let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
    let bounds: Vec<_> = bounds.iter().filter_map(|name| keywords.get(*name)?.as_i64()).collect();
    let near = if bounds.is_empty() { vec![0] } else { bounds };
    // Implementations do not agree on multiples of numbers that a double cannot hold.
    let large = if keywords.contains_key("multipleOf") { 0 } else { 1 };
    prop_oneof![
        4 => (select(near), -1..4_i64).prop_map(|(bound, by)| Value::from(bound.saturating_add(by))),
        large => select(vec![json!(i64::MIN), json!(i64::MAX), json!(u64::MAX), json!(1e20)]),
    ]
    .boxed()
}

/// Texts at the bounds of a schema, and others.
fn string(keywords: &Map<String, Value>) -> BoxedStrategy<Value> {
    let bounds = ["minLength", "maxLength"].iter().filter_map(|name| keywords.get(*name)?.as_u64());
    let bounds: Vec<_> = bounds.filter_map(|bound| usize::try_from(bound).ok()).collect();
    let near = if bounds.is_empty() { vec![1] } else { bounds };
    let long = (select(near), 0..3_usize).prop_map(|(bound, more)| {
        // Two bytes and four: what counts is characters.
        "é😀"
            .chars()
            .cycle()
            .take(bound.saturating_add(more).saturating_sub(1).min(4_000))
            .collect()
    });
    let word = "[a-z]{1,6}".prop_map(String::from);
    prop_oneof![3 => word, 2 => long, 1 => ".{0,4}"].prop_map(Value::String).boxed()
}

fn array(root: &Value, keywords: &Map<String, Value>, depth: u32) -> BoxedStrategy<Value> {
    let bound = |name: &str| keywords.get(name).and_then(Value::as_u64);
    let least = usize::try_from(bound("minItems").unwrap_or(0)).unwrap();
    let most = usize::try_from(bound("maxItems").unwrap_or(2)).unwrap().clamp(least, least + 2);
    let first = keywords.get("prefixItems").and_then(Value::as_array);
    if let Some(first) = first {
        let items: Vec<_> = first.iter().map(|item| of(root, item, depth)).collect();
        return items.prop_map(Value::Array).boxed();
    }
    // With as little depth as there is left, the shortest.
    let most = if depth == 0 { least } else { most };
    let item = keywords.get("items").map_or_else(
        || junk().boxed(),
        |item| {
            if most == 0 { junk().boxed() } else { of(root, item, depth) }
        },
    );
    vec(item, least..=most).prop_map(Value::Array).boxed()
}

fn object(root: &Value, keywords: &Map<String, Value>, depth: u32) -> BoxedStrategy<Value> {
    let required = keywords.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let empty = Map::new();
    let properties = keywords.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let fields: Vec<_> = properties
        .iter()
        .map(|(name, schema)| {
            let value = of(root, schema, depth);
            match is_required(name) {
                true => value.prop_map(Some).boxed(),
                false => option::weighted(0.25, value).boxed(),
            }
        })
        .collect();
    let names: Vec<_> = properties.keys().cloned().collect();
    let further = keywords.get("additionalProperties").filter(|schema| schema.is_object());
    let further = further
        .map_or_else(|| Just(None).boxed(), |schema| option::of(of(root, schema, depth)).boxed());
    let object = (fields, further).prop_map(move |(values, further)| {
        let named = names.iter().cloned().zip(values);
        let named = named.filter_map(|(name, value)| Some((name, value?)));
        Value::Object(named.chain(further.map(|value| ("further".to_owned(), value))).collect())
    });
    object.boxed()
}

/// Any values, but no numbers of which implementations differ over the multiples (see `integer`).
fn junk() -> impl Strategy<Value = Value> + Clone {
    select(vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.0),
        json!(2.5),
        json!(1_u64 << 53),
        json!(""),
        json!("1"),
        json!("text"),
        json!("\u{0}"),
        json!([]),
        json!([1, "a"]),
        json!({}),
        json!({"a": null}),
    ])
}

/// What is changed at one place of a value.
#[derive(Debug, Clone)]
enum Change {
    Replace(Value),
    Remove,
    Add(Value),
    Float,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        2 => junk().prop_map(Change::Replace),
        2 => Just(Change::Remove),
        1 => junk().prop_map(Change::Add),
        1 => Just(Change::Float),
    ]
}

/// How many values there are in a value, itself one of them.
fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(nodes).sum::<usize>(),
        Value::Object(fields) => fields.values().map(nodes).sum(),
        _ => 0,
    }
}

/// Changes the value that is `at` values behind the first.
fn apply(value: &mut Value, at: &mut usize, change: &Change) -> bool {
    if *at == 0 {
        match (change, &mut *value) {
            (Change::Replace(with), value) => *value = with.clone(),
            (Change::Remove, Value::Object(fields)) => {
                let first = fields.keys().next().cloned();
                first.and_then(|first| fields.remove(&first));
            }
            (Change::Remove, Value::Array(items)) => drop(items.pop()),
            (Change::Add(with), Value::Object(fields)) => {
                fields.insert("added".to_owned(), with.clone());
            }
            (Change::Add(with), Value::Array(items)) => items.push(with.clone()),
            (Change::Float, Value::Number(number)) => {
                *value = json!(number.as_f64().unwrap_or_default());
            }
            _ => {}
        }
        return true;
    }
    *at -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| apply(item, at, change)),
        Value::Object(fields) => fields.values_mut().any(|field| apply(field, at, change)),
        _ => false,
    }
}
