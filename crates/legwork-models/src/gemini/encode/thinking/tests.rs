use legwork_core::inference::ThinkingLevel;
use serde_json::{Value, json};

use super::config;

fn check(model: &str, level: &str, expected: Value) {
    let config = config(&ThinkingLevel::from(level), model).unwrap();
    assert_eq!(config.unwrap_or_default(), expected, "{model} {level}");
}

fn level(thoughts: bool, level: &str) -> Value {
    json!({"includeThoughts": thoughts, "thinkingLevel": level})
}

fn budget(thoughts: bool, tokens: i64) -> Value {
    json!({"includeThoughts": thoughts, "thinkingBudget": tokens})
}

#[test]
fn a_level_becomes_one_of_the_model() {
    check("gemini-3-pro-preview", "off", level(false, "LOW"));
    check("gemini-3-pro-preview", "minimal", level(true, "LOW"));
    check("gemini-3-flash-preview", "off", level(false, "MINIMAL"));
    check("gemini-3-flash-preview", "high", level(true, "HIGH"));
    check("gemini-3-flash-preview", "xhigh", level(true, "XHIGH"));
    check("gemini-2.5-flash", "off", budget(false, 0));
    check("gemini-2.5-pro", "off", budget(false, 128));
    check("gemini-2.5-pro", "medium", budget(true, 8_192));
    check("gemini-2.0-flash", "off", Value::Null);
}

#[test]
fn a_number_is_a_number_of_tokens() {
    check("gemini-2.5-flash", "12000", budget(true, 12_000));
    check("gemini-3-flash-preview", "12000", budget(true, 12_000));
    check("gemini-2.5-flash", "-1", budget(true, -1));
    check("gemini-2.5-flash", "0", budget(false, 0));
}

#[test]
fn an_unknown_level_is_refused_with_those_that_are_known() {
    let error = config(&ThinkingLevel::from("xhigh"), "gemini-2.5-pro").unwrap_err();
    assert!(error.contains("`xhigh`") && error.contains("a number of tokens"), "{error}");
}
