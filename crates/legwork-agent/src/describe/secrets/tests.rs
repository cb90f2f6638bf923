use serde_json::{Value, json};

use super::hide;

fn check(fields: Value, shown: Value) {
    let fields = fields.as_object().cloned().unwrap_or_default();
    assert_eq!(Value::Object(hide(&fields)), shown);
}

#[test]
fn secrets_by_name_are_hidden_whatever_the_name_is_written_like() {
    for name in
        ["api_key", "apiKey", "APIKEY", "x-api-key", "Authorization", "AUTH", "access_token"]
    {
        check(json!({name: "abc"}), json!({name: "hidden"}));
        check(json!({name: ["abc"]}), json!({name: "hidden"}));
    }
}

#[test]
fn secrets_inside_of_others_are_hidden() {
    check(
        json!({"headers": {"X-Secret": "abc", "X-Team": "red"}, "tags": ["sk-123", "blue"]}),
        json!({"headers": {"X-Secret": "hidden", "X-Team": "red"}, "tags": ["hidden", "blue"]}),
    );
}

#[test]
fn secrets_by_value_are_hidden() {
    check(
        json!({"a": "Bearer abc", "b": "https://me:pw@host/x", "c": "https://host/x@y"}),
        json!({"a": "hidden", "b": "hidden", "c": "https://host/x@y"}),
    );
}

#[test]
fn numbers_and_ordinary_fields_are_shown() {
    let fields = json!({
        "max_completion_tokens": 100, "logprobs": true, "monkey": "ape", "tokenizer": "o200k",
        "reasoning_effort": "low", "stop": ["a", "b"], "nothing": null
    });
    check(fields.clone(), fields);
}
