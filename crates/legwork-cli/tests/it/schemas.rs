//! `legwork schema`: what is published is what is printed, and says what the code accepts.

use std::fs;

use legwork::core::{Entry, entry};
use serde_json::{Value, json};

use crate::home::Home;

const GOLDEN: &str = include_str!("../../../legwork-core/tests/golden/v2.jsonl");

fn entries() -> Vec<Value> {
    // A number of a later version's event is too large for a `Value`.
    let read: Vec<Value> =
        GOLDEN.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(read.len() + 1, GOLDEN.lines().count());
    read
}

#[test]
fn each_schema_is_the_one_in_the_docs() {
    let home = Home::new();
    for (of, file) in
        [("entry", "entry"), ("events", "events"), ("settings", "legwork"), ("agent", "agent")]
    {
        let printed = home.ran(&["schema", of]).ends(0).out;
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let written = fs::read_to_string(format!("{root}/{file}.schema.json")).unwrap();
        let advice = format!("write it anew: legwork schema {of} > docs/{file}.schema.json");
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(json(&printed), json(&written), "{advice}");
    }
}

#[test]
fn s8_5_the_schema_of_an_entry_accepts_each_entry_and_no_other_shape() {
    let schema = jsonschema::draft202012::new(entry::schema().as_value()).unwrap();
    let mut refused = 0;
    for written in entries() {
        let errors: Vec<_> = schema.iter_errors(&written).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{written}: {errors:?}");
        for place in places(&written) {
            let mut broken = written.clone();
            *broken.pointer_mut(&place).unwrap() = json!([[{}]]);
            let read = Entry::decode(broken.to_string().as_bytes()).is_ok();
            assert_eq!(schema.is_valid(&broken), read, "{place} of {broken}");
            refused += usize::from(!read);
        }
    }
    assert!(refused > 500, "{refused}");
}

/// The places of all values in an entry, but the entry itself.
fn places(entry: &Value) -> Vec<String> {
    fn below(value: &Value, at: &str, places: &mut Vec<String>) {
        let mut inner = |name: String, value: &Value| {
            let name = name.replace('~', "~0").replace('/', "~1");
            let at = format!("{at}/{name}");
            below(value, &at, places);
            places.push(at);
        };
        match value {
            Value::Object(map) => map.iter().for_each(|(name, value)| inner(name.clone(), value)),
            Value::Array(all) => {
                all.iter().enumerate().for_each(|(number, value)| inner(number.to_string(), value));
            }
            _ => {}
        }
    }
    let mut places = Vec::new();
    below(entry, "", &mut places);
    places
}

#[test]
fn s8_5_an_event_that_is_not_known_has_any_body() {
    let schema = jsonschema::draft202012::new(entry::schema().as_value()).unwrap();
    let entry = |kind: &str| json!({"v": 2, "seq": 1, "parent": 0, "at": 1, "type": kind, "body": {"x": 1}});
    assert!(schema.is_valid(&entry("of_a_later_version")));
    assert!(!schema.is_valid(&entry("responded")));
}
