//! The schema of requests, which recorded requests keep, too.

use std::sync::OnceLock;

use serde_json::Value;

use super::oracle::rows;

/// Checks a body against the schema, and that the sides alternate.
pub(super) fn is_valid(body: &Value) -> bool {
    static VALIDATOR: OnceLock<jsonschema::Validator> = OnceLock::new();
    let validator = VALIDATOR.get_or_init(|| {
        let schema = include_str!("../../data/bedrock-request.schema.json");
        jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap()
    });
    for error in validator.iter_errors(body) {
        println!("{error} at {} in {body}", error.instance_path());
    }
    let roles: Vec<_> = body["messages"].as_array().unwrap().iter().map(|m| &m["role"]).collect();
    validator.is_valid(body) && roles.windows(2).all(|pair| pair[0] != pair[1])
}

#[test]
fn recorded_requests_are_valid_by_the_schema_that_ours_are_checked_with() {
    // Its client sent a media type as the format, which the types of the API do not have.
    let rows = rows().into_iter().filter(|row| !row.name.contains("test_video_url_input"));
    for row in rows {
        assert!(is_valid(&row.request), "{}", row.name);
    }
}
