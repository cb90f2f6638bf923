use std::sync::Arc;

use legwork_core::approval;
use legwork_core::inbox::Verdict;
use legwork_core::state::{Pending, PendingReason};
use legwork_core::tool::InputRequest;
use legwork_core::{EffectKey, Seq, SessionId, Timestamp, ToolCall};
use serde_json::{Value, json};

use super::{Form, Kind};

fn pending(request: InputRequest) -> Pending {
    let key = EffectKey { session: SessionId::new("s"), entry: Seq(1), index: 0 };
    let (call, arguments) = (ToolCall::new("c", "ask", "{}"), Arc::from("{}"));
    let (reason, at) = (PendingReason::Input, Timestamp(1));
    Pending::new(&key, &call, &arguments, None, reason, Seq(2), at).with_input(request)
}

fn asks(properties: Value, required: Value) -> Pending {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    pending(InputRequest::new("Who?").with_schema(schema))
}

/// What a text supplies to a call, or why it is refused.
fn reads(pending: &Pending, text: &str) -> Result<Value, String> {
    let form = Form::of(pending).unwrap();
    match form.read(pending, text).map_err(|refused| refused.to_string())?.verdict {
        Verdict::Supply(value) => Ok(value),
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn s7_9_without_a_schema_any_text_is_an_answer() {
    let pending = pending(InputRequest::new("Which?"));
    assert_eq!(reads(&pending, " main\n"), Ok(json!("main")));
    assert_eq!(reads(&pending, "{}"), Ok(json!("{}")));
    assert_eq!(reads(&pending, " "), Err("answer may not be empty".to_owned()));
}

#[test]
fn s7_9_a_field_is_read_as_what_it_takes() {
    let titled = json!([{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]);
    let crossed = json!([{"const": "2", "title": "Low"}, {"const": "1", "title": "High"}]);
    let cases = [
        (json!({"type": "string", "maxLength": 3}), "abc", Ok(json!("abc"))),
        (
            json!({"type": "string", "maxLength": 3, "title": "Name"}),
            "abcd",
            Err("Name is to be 3 characters long at most"),
        ),
        (
            json!({"type": "string", "minLength": 2}),
            "a",
            Err("a is to be 2 characters long at least"),
        ),
        (json!({"type": "integer"}), "7", Ok(json!(7))),
        (json!({"type": "integer"}), "7.5", Err("\"7.5\" is no whole number")),
        (json!({"type": "number", "minimum": 1, "maximum": 2}), "1.5", Ok(json!(1.5))),
        (json!({"type": "number", "minimum": 1}), "0", Err("a is to be at least 1")),
        (json!({"type": "number", "maximum": 2}), "3", Err("a is to be at most 2")),
        (json!({"type": "number"}), "NaN", Err("\"NaN\" is no number")),
        (json!({"type": "boolean"}), "Yes", Ok(json!(true))),
        (json!({"type": "boolean"}), "n", Ok(json!(false))),
        (json!({"type": "boolean"}), "perhaps", Err("\"perhaps\" is neither yes nor no")),
        (
            json!({"type": "string", "enum": ["x", "y"], "enumNames": ["Ex", "Why"]}),
            "why",
            Ok(json!("y")),
        ),
        (json!({"type": "string", "enum": ["x", "y"]}), "2", Ok(json!("y"))),
        (
            json!({"type": "string", "enum": ["x", "y"]}),
            "z",
            Err("\"z\" is none of the choices: 1 x, 2 y"),
        ),
        (json!({"type": "string", "oneOf": titled}), "GREEN", Ok(json!("g"))),
        (json!({"type": "string", "oneOf": crossed}), "1", Ok(json!("2"))),
        (json!({"type": "string", "oneOf": titled}), "g", Ok(json!("g"))),
        (json!({"type": "array", "items": {"anyOf": titled}}), "2, red", Ok(json!(["g", "r"]))),
        (
            json!({"type": "array", "items": {"enum": ["x"]}}),
            "x, z",
            Err("\"z\" is none of the choices: 1 x"),
        ),
    ];
    for (schema, text, expected) in cases {
        let pending = asks(json!({"a": schema}), json!(["a"]));
        let expected =
            expected.map(|value| json!({"a": value})).map_err(|words: &str| words.to_owned());
        assert_eq!(reads(&pending, text), expected, "{schema}");
    }
}

#[test]
fn s7_9_several_fields_are_an_object_with_defaults() {
    let name = json!({"type": "string"});
    let size = json!({"type": "integer", "default": 3});
    let pending = asks(json!({"name": name, "size": size, "note": name}), json!(["name"]));
    assert_eq!(reads(&pending, r#"{"name": "a"}"#), Ok(json!({"name": "a", "size": 3})));
    let refused = [
        ("a", r#"give a JSON object: {"name": .., "note": .., "size": ..}"#),
        (r#"{"size": 1}"#, "name is missing"),
        (r#"{"name": 7}"#, "name is to be a text"),
        (r#"{"name": "a", "else": 1}"#, "there is no field `else`"),
    ];
    for (text, words) in refused {
        assert_eq!(reads(&pending, text), Err(words.to_owned()), "{text}");
    }
}

#[test]
fn s7_9_what_is_left_empty_is_left_out_or_has_its_default() {
    let size = json!({"type": "integer", "default": 3});
    let wrong = json!({"type": "integer", "default": "three"});
    let pending =
        asks(json!({"note": {"type": "string"}, "size": size, "wrong": wrong}), json!([]));
    let form = Form::of(&pending).unwrap();
    let read = |name: &str| {
        let field = form.fields.iter().find(|field| field.name == name).unwrap();
        field.read("")
    };
    assert_eq!(
        (read("note"), read("size"), read("wrong")),
        (Ok(None), Ok(Some(json!(3))), Ok(None))
    );
}

#[test]
fn s7_9_what_no_person_can_fill_in_is_no_form() {
    let nested = json!({"type": "object", "properties": {}});
    for property in [nested, json!({"type": "array", "items": {"type": "string"}}), json!({})] {
        assert_eq!(Form::of(&asks(json!({"a": property}), json!([]))), None, "{property}");
    }
    let other = pending(InputRequest::new("Who?").with_schema(json!({"type": "string"})));
    assert_eq!(Form::of(&other), None);
    let asks = approval::Request::new("Who?");
    let approval = Pending { reason: PendingReason::Approval, input: None, ..other };
    assert_eq!(Form::of(&approval.with_request(asks)), None);
}

#[test]
fn s7_9_a_form_without_fields_asks_for_a_yes() {
    let pending = asks(json!({}), json!([]));
    let form = Form::of(&pending).unwrap();
    assert!(form.fields.is_empty());
    assert_eq!((reads(&pending, "{}"), reads(&pending, "Yes")), (Ok(json!({})), Ok(json!({}))));
    assert_eq!(reads(&pending, "no"), Err("give a JSON object: {}".to_owned()));
    let form = Form::of(&asks(json!({"a": {"type": "boolean"}}), json!([]))).unwrap();
    assert_eq!(form.fields[0].kind, Kind::Boolean);
}
