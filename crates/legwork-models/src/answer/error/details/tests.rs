use std::time::Duration;

use serde_json::{Value, json};

use crate::answer::ApiError;

fn read(details: Value) -> ApiError {
    let error = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
                                 "message": "You exceeded your current quota.",
                                 "details": details}});
    ApiError::from_body(429, error.to_string().as_bytes())
}

fn quota(id: &str) -> Value {
    json!({"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [
        {"quotaId": "GenerateContentInputTokensPerModelPerMinute-FreeTier"}, {"quotaId": id}]})
}

fn delay(delay: &str) -> Value {
    json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay})
}

#[test]
fn the_status_is_the_code_and_the_delay_is_read() {
    let minute = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier";
    let error = read(json!([quota(minute), delay("34.5s")]));
    assert_eq!(error.code.as_deref(), Some("RESOURCE_EXHAUSTED"));
    assert_eq!(error.retry_after, Some(Duration::from_millis(34_500)));
    assert!(!error.is_quota());
    for odd in ["", "s", "-1s", "soon", "1e400s"] {
        assert_eq!(read(json!([delay(odd)])).retry_after, None, "{odd}");
    }
}

#[test]
fn s11_5_a_quota_for_a_day_is_spent() {
    let day = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
    let error = read(json!([quota(day), delay("34s")]));
    assert!(error.is_quota());
    assert_eq!(error.kind.as_deref(), Some(day));
}

#[test]
fn an_invalid_key_is_recognised() {
    let info = json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo",
                      "reason": "API_KEY_INVALID"});
    assert!(read(json!([info])).is_invalid_key());
    assert!(!read(json!("odd")).is_invalid_key());
}
