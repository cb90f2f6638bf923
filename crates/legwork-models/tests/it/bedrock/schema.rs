//! The schema of requests, which recorded requests keep, too.

use legwork_models::Api;
use serde_json::Value;

use super::oracle::rows;

/// Checks a body against the schema, and that the sides alternate.
pub(super) fn is_valid(body: &Value) -> bool {
    crate::is_valid(Api::Converse, body)
}

#[test]
fn recorded_requests_are_valid_by_the_schema_that_ours_are_checked_with() {
    // Its client sent a media type as the format, which the types of the API do not have.
    let rows = rows().into_iter().filter(|row| !row.name.contains("test_video_url_input"));
    for row in rows {
        assert!(is_valid(&row.request), "{}", row.name);
    }
}
