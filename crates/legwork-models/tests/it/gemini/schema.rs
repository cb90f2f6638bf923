//! The schema of requests, which recorded requests keep, too.

use legwork_models::Api;
use serde_json::{Map, Value};

use super::oracle::rows;

/// Fields that hold what a program made, whose names are its own.
const FREE: [&str; 6] =
    ["args", "response", "parameters", "parametersJsonSchema", "responseJsonSchema", "labels"];

/// Checks a body against the schema.
pub(super) fn is_valid(body: &Value) -> bool {
    crate::is_valid(Api::GenerateContent, body)
}

/// A request in camel case: the API takes both spellings of its own names.
fn camel_case(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(camel_case).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| {
                let key = camel(key);
                let value = if FREE.contains(&&*key) { value.clone() } else { camel_case(value) };
                (key, value)
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        value => value.clone(),
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}

#[test]
fn recorded_requests_are_valid_by_the_schema_that_ours_are_checked_with() {
    for row in rows() {
        let mut request = camel_case(&row.request);
        if request["tools"].is_object() {
            request["tools"] = Value::Array(vec![request["tools"].take()]);
        }
        assert!(is_valid(&request), "{}", row.name);
    }
}
