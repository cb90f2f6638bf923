use legwork_core::ToolCall;

use super::append_arguments;

#[track_caller]
fn check(written: &str, wanted: &str) {
    let mut out = Vec::new();
    append_arguments(&mut out, &ToolCall::new("c", "t", written));
    assert_eq!(String::from_utf8(out).unwrap(), wanted, "{written}");
}

#[test]
fn objects_are_sent_as_they_are_written() {
    check(r#"{"b":1, "a":[1.50,{"x":"é\n"}]}"#, r#"{"b":1, "a":[1.50,{"x":"é\n"}]}"#);
    check(" {\"a\":1}\n", r#"{"a":1}"#);
    check("", "{}");
    check("  ", "{}");
    check(r#"{"x":1.5e3,"y":-2E-3,"z":0}"#, r#"{"x":1.5e3,"y":-2E-3,"z":0}"#);
    check(r#"{"a":"\u00e9\ud83d\ude00"}"#, r#"{"a":"\u00e9\ud83d\ude00"}"#);
}

#[test]
fn anything_else_is_shown_as_text() {
    check("[1]", r#"{"arguments":"[1]"}"#);
    check("7", r#"{"arguments":"7"}"#);
    check(r#"{"a":1"#, r#"{"arguments":"{\"a\":1"}"#);
    check(r#"{"a":1} x"#, r#"{"arguments":"{\"a\":1} x"}"#);
    check(r#"{"a":"\ud83d"}"#, r#"{"arguments":"{\"a\":\"\\ud83d\"}"}"#);
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    check(&deep, &serde_json::json!({"arguments": deep}).to_string());
    check(r#"{"x":1e999}"#, r#"{"arguments":"{\"x\":1e999}"}"#);
    let long = format!(r#"{{"x":{}}}"#, "9".repeat(400));
    check(&long, &serde_json::json!({"arguments": long}).to_string());
    check("\u{a0}{\"a\":1}", "{\"arguments\":\"\u{a0}{\\\"a\\\":1}\"}");
    let wide = format!(r#"{{"a":[{}]}}"#, vec!["{}"; 200].join(","));
    check(&wide, &wide);
}
