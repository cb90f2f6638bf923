//! Decisions in hostile surroundings, and how they are written.

use std::sync::Arc;

use legwork_core::message::{ProviderData, Thinking, ToolResult};
use legwork_core::tool::ToolSpecs;
use legwork_core::{Message, Part, Role, ToolCall, ToolSpec};
use serde_json::{Value, json};

use super::decision::{AnswerIs, Decision, What};
use super::find::objects;
use super::prompt::Prompts;
use super::render::{rendered, thought};

fn read(text: &str) -> Result<String, String> {
    Decision::read(text, &["look", "send"], AnswerIs::Text).map(|decision| match decision.what {
        What::Act { tool, arguments } => format!("{tool} {arguments}"),
        What::Answer(answer) => format!("= {answer}"),
    })
}

#[test]
fn a_decision_is_read_whatever_surrounds_it() {
    let act = r#"{"thought": "t", "action": {"tool": "look", "arguments": {"n": 1}}}"#;
    for text in [
        act.to_owned(),
        format!("```json\n{act}\n```"),
        format!("```\n{act}\n```\nI hope that helps {{and how}}!"),
        format!("Sure! Let me see {{n}} first, in {{}} or {{ 1 }}.\n\n{act} Then I go on."),
        format!("\u{feff}<think>a {{ b</think>\n{act}"),
        format!("[{act}]"),
        format!("{{\"thought\": \"only\"}} {act}"),
        format!("{{broken: \"json\", \"action\": {{}} }} {act}"),
        format!("{act} {{\"thought\": \"cut off, \"action"),
        format!("{} {act}", "{".repeat(12)),
        format!("{}{act}", "é🦀".repeat(1000)),
        format!("{}\n{act}", "lorem ipsum ".repeat(90_000)),
    ] {
        let start: String = text.chars().take(60).collect();
        assert_eq!(read(&text).as_deref(), Ok(r#"look {"n": 1}"#), "{start}");
    }
}

#[test]
fn what_is_in_a_decision_is_kept_as_it_is() {
    for (text, expected) in [
        (r#"{"answer": "a } b { c \" d \\"}"#, "= a } b { c \" d \\"),
        (r#"{"answer": "{\"answer\": \"inner\"}"}"#, "= {\"answer\": \"inner\"}"),
        (r#"{"thought": null, "action": null, "answer": "x"}"#, "= x"),
        (r#"{"answer": "caf\u00e9 \ud83e\udd80 \u0000"}"#, "= café 🦀 \0"),
        (r#"{"answer": ""}"#, "= "),
        (
            r#"{"action": {"tool": "send", "arguments": {"b": 1.10, "a": {"answer": "}"}}}}"#,
            r#"send {"b": 1.10, "a": {"answer": "}"}}"#,
        ),
        (r#"{"action": {"tool": "look"}}"#, "look {}"),
        (r#"{"action": {"tool": "look", "arguments": {}}, "thought": "behind"}"#, "look {}"),
    ] {
        assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
    }
    let long = "x".repeat(1 << 20);
    assert_eq!(read(&format!("{{\"answer\": \"{long}\"}}")), Ok(format!("= {long}")));
    let deep = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    let text = format!(r#"{{"action": {{"tool": "look", "arguments": {deep}}}}}"#);
    assert_eq!(read(&text), Ok(format!("look {deep}")));
}

#[test]
fn what_is_no_decision_is_told_exactly() {
    let two = r#"{"answer": "one"} {"action": {"tool": "look", "arguments": {}}}"#;
    for (text, words) in [
        ("", "no JSON object"),
        ("I would say 42.", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ("{}", "neither `action` nor `answer`"),
        (r#"{"thought": "hm"}"#, "neither `action` nor `answer`"),
        (r#"{"answer": "x", "action": {"tool": "look", "arguments": {}}}"#, "both"),
        (two, "2 decisions"),
        (
            r#"{"action": {"tool": "fly", "arguments": {}}}"#,
            "no tool `fly`; the tools are: look, send",
        ),
        (
            r#"{"action": {"tool": "look", "arguments": [1]}}"#,
            "arguments of `look` are no JSON object",
        ),
        (r#"{"action": {"tool": "look", "arguments": "{}"}}"#, "are no JSON object"),
        (r#"{"action": "look"}"#, "invalid type"),
        (r#"{"action": {"arguments": {}}}"#, "missing field `tool`"),
        (r#"{"action": {"tool": 7, "arguments": {}}}"#, "invalid type"),
        (r#"{"action": {"tool": "look", "arguments": {}, "why": 1}}"#, "unknown field `why`"),
        (r#"{"tool": "look", "arguments": {}}"#, "unknown field `tool`"),
        (r#"{"answer": 42}"#, "`answer` is no text"),
        (r#"{"answer": "a", "answer": "b"}"#, "duplicate field `answer`"),
        (r#"{"answer": "x", "confidence": 1}"#, "unknown field `confidence`"),
        (r#"{"thought": 1, "answer": "x"}"#, "invalid type"),
        (r#"{"answer": "x",}"#, "JSON is broken"),
        (r#"{'answer': 'x'}"#, "JSON is broken"),
        (r#"{answer: "x"}"#, "JSON is broken"),
        (r#"{"answer": "never closed"#, "JSON is broken: EOF"),
        (r#"{"answer": "\ud800"}"#, "`answer` is no text"),
        (r#""{\"answer\": \"x\"}""#, "JSON is broken"),
    ] {
        let problem = read(text).unwrap_err();
        assert!(problem.contains(words), "{text}: {problem}");
    }
    let act = r#"{"action": {"tool": "fly", "arguments": {}}}"#;
    let problem = Decision::read(act, &[], AnswerIs::Text).unwrap_err();
    assert_eq!(problem, "there is no tool `fly`; there are no tools; answer");
}

#[test]
fn nothing_is_taken_from_inside_an_object_that_is_broken() {
    let found = |text: &str| objects(text).objects.concat();
    for broken in [
        r#"{broken: {"a": 1}}"#,
        r#"{broken: {"a": 1}, "{": {"a": 2}}"#,
        r#"{broken: "}", "b": {"a": 1}}"#,
        r#"{broken: "\"}", "b": {"a": 1}}"#,
        r#"{broken: "\\", "b": {"a": 1}}"#,
        r#"{broken: "\\\"}", "b": {"a": 1}}"#,
    ] {
        assert_eq!(found(&format!(r#"{broken}{{"c": 3}}"#)), r#"{"c": 3}"#, "{broken}");
    }
    let beside = r#"{a: \} {"b": 1} } {"c": 3}"#;
    assert_eq!(found(beside), r#"{"b": 1}{"c": 3}"#, "a string alone has escapes");
    // What is broken and closed is no stray brace, however much of it there is.
    let many = format!(r#"{} {{ {{"c": 3}}"#, "{x}".repeat(20));
    assert_eq!(found(&many), r#"{"c": 3}"#);
}

#[test]
fn half_of_a_decision_is_never_taken_for_a_whole_one() {
    for text in [
        r#"{"thought": "x", "y": {"answer": "inner"}"#,
        r#"{"thought": "x", "y": {"answer": "inner"},}"#,
        r#"{"thought": "x" "y": {"answer": "inner"}}"#,
        r#"{"action": {"tool": "look", "arguments": {"answer": "inner"}}"#,
        r#"{"thought": "say {"answer": "inner"} now"}"#,
    ] {
        assert!(read(text).is_err(), "{text}: {:?}", read(text));
    }
}

#[test]
fn a_megabyte_of_nothing_is_read_in_one_go() {
    // Each would take minutes where the time grew with the square of the size.
    for unit in ["{", "{ ", "{\"", "{\"a\":", "{\"a\":{", "{\"a\":[", "{}", "\"{\\", "}", "{'{"] {
        let text = unit.repeat((1 << 20) / unit.len());
        let problem = read(&text).unwrap_err();
        assert!(problem.chars().count() < 700, "{unit}: {problem}");
    }
    let name = "n".repeat(1 << 20);
    let problem = read(&format!(r#"{{"action": {{"tool": "{name}", "arguments": {{}}}}}}"#));
    assert!(problem.unwrap_err().len() < 300);
    assert_eq!(objects(&"{}".repeat(1000)).objects.len(), 1000);
}

#[test]
fn messages_are_written_as_decisions_and_results_once() {
    let native = Part::Thinking(Thinking {
        text: "native".to_owned(),
        id: None,
        provider: Some(ProviderData::new("anthropic", json!({"signature": "signed"}))),
    });
    let call = Part::ToolCall(Arc::new(ToolCall::new("c", "look", r#"{"n": 1}"#)));
    let odd = Part::ToolCall(Arc::new(ToolCall::new("d", "look", "{oops")));
    let result = ToolResult::new("c", "look", "it is 1");
    let failed = ToolResult { is_error: true, ..result.clone() };
    let act = r#"{"thought":"why","action":{"tool":"look","arguments":{"n": 1}}}"#;
    let odds = r#"{"action":{"tool":"look","arguments":"{oops"}}"#;
    let cases = [
        (Message::assistant(vec![native.clone(), thought("why".into()), call.clone()]), act.into()),
        (Message::assistant(vec![Part::text("why"), call, odd]), format!("{act}\n{odds}")),
        (
            Message::assistant(vec![thought("why".into()), Part::text("42")]),
            r#"{"thought":"why","answer":"42"}"#.into(),
        ),
        (Message::tool_result(result), "Result of `look`: it is 1".into()),
        (Message::tool_result(failed), "Result of `look` (it did not succeed): it is 1".into()),
    ];
    for (message, expected) in cases {
        let message = Arc::new(message);
        let shown = rendered(&message);
        assert_eq!(shown.text(), expected);
        assert_eq!(shown.parts.contains(&native), message.parts.contains(&native));
        assert!(shown.tool_calls().next().is_none() && shown.role != Role::Tool);
        assert!(Arc::ptr_eq(&shown, &rendered(&message)), "made once: {expected}");
    }
    for message in [Message::user("hi"), Message::assistant(vec![native, Part::text("plain")])] {
        let message = Arc::new(message);
        assert!(Arc::ptr_eq(&message, &rendered(&message)), "{message:?}");
    }
}

fn tools(parameters: Value) -> ToolSpecs {
    ToolSpecs::new(vec![Arc::new(ToolSpec::new("look", "Looks.", parameters))])
}

fn fits(schema: &Value, decision: Value) -> bool {
    jsonschema::validator_for(schema).unwrap().is_valid(&decision)
}

#[test]
fn the_schema_holds_what_is_a_decision_and_nothing_else() {
    let number = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let act = |name: &str, arguments: Value| json!({"thought": "t", "action": {"tool": name, "arguments": arguments}});
    let answer = json!({"thought": "t", "answer": "x"});
    let prompts = Prompts::default();
    let small = prompts.get(&"Be kind.".into(), &tools(number.clone()), None);
    assert!(
        fits(&small.schema, act("look", json!({"n": 1}))) && fits(&small.schema, answer.clone())
    );
    for wrong in [
        act("fly", json!({})),
        act("look", json!({"n": "x"})),
        json!({"thought": "t"}),
        json!({"answer": "x"}),
        json!({"thought": "t", "answer": "x", "action": {"tool": "look", "arguments": {}}}),
        json!({"thought": "t", "action": {"tool": "look"}}),
    ] {
        assert!(!fits(&small.schema, wrong.clone()), "{wrong}");
    }
    // What cannot stand inside another schema is left to the check before a call.
    let pointing = json!({"type": "object", "$ref": "#/$defs/x", "$defs": {"x": {}}});
    let deep = json!({"properties": {"n": {"anyOf": [{"$ref": "#/$defs/x"}]}}, "$defs": {"x": {}}});
    let large = json!({"type": "object", "description": "long ".repeat(4000)});
    for parameters in [pointing, deep, large] {
        let schema = prompts.get(&"".into(), &tools(parameters), None).schema;
        assert!(
            fits(&schema, act("look", json!({"any": 1}))) && !fits(&schema, act("fly", json!({})))
        );
    }
    let none = prompts.get(&"".into(), &ToolSpecs::default(), None);
    assert!(fits(&none.schema, answer) && !fits(&none.schema, act("look", json!({}))));
    assert!(!none.instructions.contains("tool"), "{}", none.instructions);

    let again = prompts.get(&"Be kind.".into(), &tools(number), None);
    assert!(Arc::ptr_eq(&small.instructions, &again.instructions), "made once");
    assert!(small.instructions.starts_with("Be kind.\n\n"), "{}", small.instructions);
    assert!(small.instructions.contains("- `look`: Looks.\n"), "{}", small.instructions);
}
