use serde_json::{Value, from_str, from_value, json};

use super::*;

#[derive(Debug, PartialEq, Deserialize)]
struct All {
    #[serde(default, deserialize_with = "few")]
    list: Vec<u32>,
    #[serde(deserialize_with = "text")]
    text: Arc<str>,
    #[serde(deserialize_with = "shared")]
    shared: Arc<u32>,
}

#[test]
fn what_is_read_is_what_was_written() {
    for list in [vec![], vec![1], vec![1, 2], (0..100).collect()] {
        let value = json!({ "list": list, "text": "say \"so\"\n", "shared": 7 });
        let all = All { list, text: "say \"so\"\n".into(), shared: Arc::new(7) };
        assert_eq!(from_str::<All>(&value.to_string()).unwrap(), all);
        assert_eq!(from_value::<All>(value).unwrap(), all);
    }
    let without: All = from_str(r#"{"text": "", "shared": 0}"#).unwrap();
    assert!(without.list.is_empty());
}

#[test]
fn a_list_has_no_room_for_more_values_than_there_are() {
    let all: All = from_str(r#"{"list": [1], "text": "", "shared": 0}"#).unwrap();
    assert_eq!(all.list.capacity(), 1);
    let all: All = from_value(json!({ "list": [1, 2, 3], "text": "", "shared": 0 })).unwrap();
    assert_eq!(all.list.capacity(), 3);
}

#[test]
fn values_of_other_types_are_refused() {
    let whole = json!({ "list": [1], "text": "a", "shared": 0 });
    for (field, wrong) in [
        ("list", json!({})),
        ("list", json!([1, "two"])),
        ("list", Value::Null),
        ("text", json!(1)),
        ("text", Value::Null),
        ("shared", json!("seven")),
    ] {
        let mut value = whole.clone();
        value[field] = wrong;
        let read = from_str::<All>(&value.to_string());
        assert!(read.is_err(), "{value} was read as {read:?}");
    }
}
