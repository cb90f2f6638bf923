//! Scripts from JSON.

use legwork_testkit::{Script, Server};
use serde_json::json;

use crate::client::{ask, post};

#[test]
fn a_script_is_read_and_played() {
    let script = Script::from_json(
        r#"{"model": "tiny", "turns": [
            {"text": "Looking.", "call": {"name": "read", "arguments": {"path": "a.txt"}}},
            {"calls": [{"name": "x"}, {"name": "y", "arguments": "{broken"}]},
            {"text": "done", "thinking": "hm", "finish": "length",
             "usage": {"input": 1, "output": 2},
             "after": [{"status": 429, "retry_after": "0", "message": "slow"}, {"html": true}]}
        ]}"#,
    );
    let server = Server::start(script.unwrap()).unwrap();
    let turn = |count: usize| {
        let said = vec![json!({"role": "assistant", "content": "x"}); count];
        let mut request = ask(json!(said));
        request["model"] = json!("tiny");
        post(&server, &request)
    };
    let message = turn(0).json()["choices"][0]["message"].clone();
    assert_eq!(message["content"], "Looking.");
    assert_eq!(message["tool_calls"][0]["function"]["arguments"], "{\"path\":\"a.txt\"}");
    let message = turn(1).json()["choices"][0]["message"].clone();
    assert_eq!(message["tool_calls"][0]["function"]["arguments"], "{}");
    assert_eq!(message["tool_calls"][1]["function"]["arguments"], "{broken");
    assert_eq!(turn(2).json()["error"]["message"], "slow");
    assert!(turn(2).headers.contains("text/html"));
    let last = turn(2).json();
    assert_eq!(last["choices"][0]["finish_reason"], "length");
    assert_eq!(last["usage"]["total_tokens"], 3);
}

#[test]
fn a_text_that_is_not_a_script_is_refused() {
    let check = |text: &str, expected: &str| {
        let error = Script::from_json(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("{oops", "this is not a script");
    check(r#"{"turns": [{"txet": "x"}]}"#, "unknown field `txet`");
    check(r#"[{"text": "x"}, {}]"#, "turn 1 of the script must be");
    check(r#"[{"text": "x", "status": 500}]"#, "turn 0 of the script must be");
}
