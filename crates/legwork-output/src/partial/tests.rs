use serde_json::{Value as Json, json};

use super::{Error, Kind, Parser, Value};

fn read(mut parser: Parser, pieces: &[&str]) -> Result<Value, Error> {
    pieces.iter().try_for_each(|piece| parser.push(piece))?;
    parser.finish()
}

fn lenient(text: &str) -> Json {
    let whole = read(Parser::lenient(), &[text]).unwrap().to_json();
    let mut parser = Parser::lenient();
    for at in 0..text.len() {
        parser.push(&text.as_bytes()[at..=at]).unwrap();
        parser.value();
    }
    assert_eq!(parser.finish().unwrap().to_json(), whole, "{text} in bytes");
    whole
}

fn so_far(text: &str) -> Option<Json> {
    let mut parser = Parser::strict();
    parser.push(text).unwrap();
    parser.value().map(|value| value.to_json())
}

fn refused(text: &str) -> (usize, Kind) {
    let error = read(Parser::strict(), &[text]).unwrap_err();
    (error.offset, error.kind)
}

#[test]
fn what_is_unfinished_is_withheld_or_shown() {
    assert_eq!(so_far(""), None);
    assert_eq!(so_far(" ["), Some(json!([])));
    assert_eq!(so_far("[1"), Some(json!([])));
    assert_eq!(so_far("[1,"), Some(json!([1])));
    assert_eq!(so_far("[tru"), Some(json!([])));
    assert_eq!(so_far("[true"), Some(json!([true])));
    assert_eq!(so_far(r#"{"a"#), Some(json!({})));
    assert_eq!(so_far(r#"{"a":"#), Some(json!({})));
    assert_eq!(so_far(r#"{"a":""#), Some(json!({"a": ""})));
    assert_eq!(so_far(r#"{"a":"x\"#), Some(json!({"a": "x"})));
    assert_eq!(so_far(r#"{"a":"x\ud83d"#), Some(json!({"a": "x"})));
    assert_eq!(so_far(r#"{"a":"x\ud83d\ude00"#), Some(json!({"a": "x😀"})));
    assert_eq!(so_far(r#"{"a":[{"b":["#), Some(json!({"a": [{"b": []}]})));
}

#[test]
fn a_number_ends_with_the_text() {
    assert_eq!(read(Parser::strict(), &["-1", "2.5e", "+1"]).unwrap().to_json(), json!(-125.0));
    assert_eq!(read(Parser::strict(), &["[0]", "\n"]).unwrap().to_json(), json!([0]));
}

#[test]
fn an_error_says_where_and_what() {
    assert_eq!(refused("[1 2]"), (3, Kind::Unexpected { found: '2', expected: "`,` or `]`" }));
    assert_eq!(refused(r#"{"a" 1}"#), (5, Kind::Unexpected { found: '1', expected: "`:`" }));
    assert_eq!(refused("[01]"), (3, Kind::Number("01".to_owned())));
    assert_eq!(refused("nil"), (1, Kind::Word("ni".to_owned())));
    assert_eq!(refused(r#"["\x"]"#), (3, Kind::Escape('x')));
    assert_eq!(refused(r#"["\ud800x"]"#), (8, Kind::Surrogate(0xd800)));
    assert_eq!(refused("[\"a\n\"]"), (3, Kind::Control('\n')));
    assert_eq!(refused("[1"), (2, Kind::Unfinished));
    assert_eq!(refused(" "), (1, Kind::Empty));
    let after = Kind::Unexpected { found: 'x', expected: "nothing after the value" };
    assert_eq!(refused("{} x"), (3, after));
}

#[test]
fn a_failed_parser_stays_failed_and_keeps_what_it_read() {
    let mut parser = Parser::strict();
    let error = parser.push("[1, x").unwrap_err();
    assert_eq!(parser.push("]"), Err(error.clone()));
    assert_eq!(parser.offset(), 4);
    assert_eq!(parser.value().unwrap().to_json(), json!([1]));
    assert_eq!(parser.finish(), Err(error));
}

#[test]
fn nesting_is_bounded_by_a_typed_error() {
    let deep = "[".repeat(100_000);
    assert_eq!(refused(&deep), (127, Kind::Depth(127)));
    let mut parser = Parser::lenient().with_max_depth(2);
    assert_eq!(parser.push("[[{").unwrap_err().kind, Kind::Depth(2));
    assert_eq!(Parser::strict().with_max_depth(100_000).push(&deep).unwrap_err().offset, 127);
}

#[test]
fn bytes_are_cut_anywhere() {
    let mut parser = Parser::strict();
    for byte in "[\"é😀\"]".bytes() {
        parser.push([byte]).unwrap();
    }
    assert_eq!(parser.offset(), 10);
    assert!(parser.is_complete());
    assert_eq!(parser.finish().unwrap().to_json(), json!(["é😀"]));
    let mut cut = Parser::strict();
    cut.push(b"\"\xc3").unwrap();
    assert_eq!(cut.offset(), 2);
    assert_eq!(cut.finish().unwrap_err().kind, Kind::Encoding);
    let mut broken = Parser::strict();
    assert_eq!(broken.push(b"[\"\xff\"]").unwrap_err(), Error { offset: 2, kind: Kind::Encoding });
}

#[test]
fn a_value_tells_what_is_complete() {
    let mut parser = Parser::strict();
    parser.push(r#"{"items": [1, "two", {"three": "#).unwrap();
    let value = parser.value().unwrap();
    let items = value.get("items").unwrap().as_array().unwrap();
    assert!(!value.is_complete() && !items.is_complete());
    assert_eq!((items.len(), items.complete_len()), (3, 2));
    assert!(items.get(1).unwrap().as_text().unwrap().is_complete());
    parser.push("3}]").unwrap();
    let later = parser.value().unwrap();
    let later = later.get("items").unwrap().as_array().unwrap();
    assert!(later.is_complete());
    assert_eq!(later.complete_len(), 3);
    assert_eq!(items.len(), 3, "an old value stays as it was");
    assert_eq!(items.get(2).unwrap().to_json(), json!({}));
}

#[test]
fn a_growing_text_gives_what_is_new() {
    let mut parser = Parser::strict();
    parser.push("\"").unwrap();
    let (mut seen, mut shown) = (0, String::new());
    for at in 0..5_000 {
        parser.push(format!("word {at} ")).unwrap();
        let value = parser.value().unwrap();
        let text = value.as_text().unwrap();
        shown.push_str(&text.since(seen));
        seen = text.len();
        assert_eq!(shown.len(), seen);
    }
    let text = parser.value().unwrap().as_text().unwrap().clone();
    assert_eq!(text.as_str(), shown);
    assert_eq!(text.since(seen), "");
    assert_eq!(text.since(seen + 1), "");
    assert_eq!(text.since(1), shown[1..]);
}

#[test]
fn lenient_takes_what_models_write() {
    assert_eq!(lenient("{'a': 'it\\'s', b: \"x\",}"), json!({"a": "it's", "b": "x"}));
    assert_eq!(lenient("[1, 2, , 3,]"), json!([1, 2, 3]));
    assert_eq!(lenient("[\"a\" \"b\"\n\"c\"]"), json!(["a", "b", "c"]));
    assert_eq!(lenient("{\"a\": 1 \"b\": 2}"), json!({"a": 1, "b": 2}));
    assert_eq!(lenient("{ // note\n \"a\": /* one */ 1, # two\n}"), json!({"a": 1}));
    assert_eq!(
        lenient("[True, False, None, NaN, undefined]"),
        json!([true, false, null, null, null])
    );
    assert_eq!(lenient("[+1, .5, 5., 007, -.5]"), json!([1, 0.5, 5, 7, -0.5]));
    assert_eq!(lenient("{\"a\": \"line\nbreak\ttab\"}"), json!({"a": "line\nbreak\ttab"}));
    assert_eq!(
        lenient(r#"{"a": "He said "hi" to me", "b": 1}"#),
        json!({"a": "He said \"hi\" to me", "b": 1})
    );
    assert_eq!(
        lenient(r#"["\alpha", "a\_b", "\ud83d!"]"#),
        json!(["\u{7}lpha".replace('\u{7}', "\\a"), "a_b", "\u{FFFD}!"])
    );
    assert_eq!(lenient("{\"a\": 1} and so on [2"), json!({"a": 1}));
    assert_eq!(lenient("\u{FEFF}[1]"), json!([1]));
}

#[test]
fn lenient_closes_what_is_open_and_says_so() {
    let value = read(Parser::lenient(), &[r#"{"a": [1, 2, {"b": "tex"#]).unwrap();
    assert!(!value.is_complete());
    assert_eq!(value.to_json(), json!({"a": [1, 2, {"b": "tex"}]}));
    let value = read(Parser::lenient(), &["[1, 2"]).unwrap();
    assert_eq!(value.to_json(), json!([1]), "a number may go on");
    assert_eq!(read(Parser::lenient(), &["  "]).unwrap_err().kind, Kind::Empty);
}

#[test]
fn lenient_takes_no_prose() {
    for prose in ["[see note]", "{the thing}", "[a", "{city: New York}"] {
        let read = read(Parser::lenient(), &[prose, "]"]);
        let value = read.as_ref().map(Value::to_json);
        assert!(
            !matches!(&read, Ok(value) if value.is_complete()),
            "{prose} is taken for {value:?}"
        );
    }
}

#[test]
fn values_are_serialized_as_they_are() {
    let text = r#"{"a":[1,null,true,"x\"y"],"b":{}}"#;
    let value = read(Parser::strict(), &[text]).unwrap();
    assert_eq!(serde_json::to_string(&value).unwrap(), text);
    assert_eq!(
        format!("{:?}", value.get("a").unwrap().as_array().unwrap().get(3)),
        r#"Some(Text("x\"y"))"#
    );
}
