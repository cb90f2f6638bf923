use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;

/// Reads a whole text through all that the reader offers.
fn read(text: &str) -> Read<Value> {
    let mut reader = Reader::new(text, &Bounds::default());
    let value = walk(&mut reader)?;
    reader.end()?;
    Ok(value)
}

fn walk(reader: &mut Reader<'_>) -> Read<Value> {
    match reader.peek() {
        b'{' => {
            let (mut place, mut map) = (reader.object()?, Map::new());
            while let Some(key) = reader.key(&mut place)? {
                map.insert(key.into_owned(), walk(reader)?);
            }
            Ok(Value::Object(map))
        }
        b'[' => {
            let (mut place, mut items) = (reader.array()?, Vec::new());
            while reader.item(&mut place)? {
                items.push(walk(reader)?);
            }
            Ok(Value::Array(items))
        }
        _ => reader.json(),
    }
}

fn check(text: &str) {
    let expected: Option<Value> = serde_json::from_str(text).ok();
    assert_eq!(read(text).ok(), expected, "{text:?}");
    let mut reader = Reader::new(text, &Bounds::default());
    let skipped = reader.skip().and_then(|()| reader.end()).is_ok();
    let ignored = serde_json::from_str::<IgnoredAny>(text).is_ok();
    assert_eq!(skipped, ignored, "passing over {text:?}");
}

#[test]
fn it_reads_what_serde_json_reads_and_nothing_else() {
    let texts = [
        "",
        " ",
        "null",
        "nul",
        "nullx",
        "true",
        "0",
        "00",
        "01",
        "-1",
        "-",
        "1.5",
        "1.",
        "1e3",
        "18446744073709551615",
        "18446744073709551616",
        "1 2",
        "1x",
        "\"\"",
        "\"a",
        "\"\\n\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\u{1}\"",
        "\"\u{7f}é\"",
        "[]",
        "[",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1]]",
        "{}",
        "{",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{1:2}",
        "{\"a\" : [ 1 , {\"b\\t\":null} ] }\r\n",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1}x",
        "{\"a\":1}\0",
        "-0",
        "-01",
        "[-1.5,0.25,1.5e3,1E2]",
        "[0.]",
        "[01]",
        "[-]",
        "\"a quote: \\\", and more than a few words behind it\"",
        "\"\\x\"",
        "\"\\",
        "[\"\\\\\",\"\\/\\b\\f\\r\\t\"]",
        "{\"a\\u0041\":{\"\":[{},[],[[]]]}}",
        "{\"a\":[}]",
        "[{\"a\":1]}",
        "{\"a\",1}",
        "[true,false,null,nulls]",
    ];
    texts.into_iter().for_each(check);
}

#[test]
fn a_string_of_any_length_ends_where_it_does() {
    for length in 0..100 {
        for end in ["\"", "\\n\"", "\\\"x\"", ""] {
            check(&format!("\"{}{end}", "é".repeat(length / 2) + &"x".repeat(length % 2)));
            check(&format!("[\"{}{end}]", "x".repeat(length)));
        }
    }
}

#[test]
fn another_type_than_expected_is_not_an_error() {
    let text = |json: &str| Reader::new(json, &Bounds::default()).text().unwrap().into_owned();
    let said = ["\"a\"", "null", "true", "7 ", "-7", "1.5", "[1, 2]", "{ }"].map(text);
    assert_eq!(said, ["a", "", "true", "7", "-7", "1.5", "[1,2]", "{}"]);
    let count = |json: &str| Reader::new(json, &Bounds::default()).count().unwrap();
    let counted = ["7 ", "7.0", "\"7\"", "-7", "7.5", "null", "[7]", "1e99"].map(count);
    assert_eq!(counted, [Some(7), Some(7), Some(7), None, None, None, None, None]);
    for (json, items) in [("{\"a\":1}", 1), ("3 ", 0), ("\"x\"", 0), ("[1,2]", 2)] {
        let mut reader = Reader::new(json, &Bounds::default());
        let (mut place, mut found) = (reader.array().unwrap(), 0);
        while reader.item(&mut place).unwrap() {
            reader.skip().unwrap();
            found += 1;
        }
        assert_eq!(found, items, "{json}");
    }
    assert!(matches!(Reader::new("[1]", &Bounds::default()).object(), Ok(Position::Over)));
}

#[test]
fn a_text_that_is_nested_too_deep_is_broken() {
    let nested = |depth| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    for depth in [1, 63, 64, 127, 128, 100_000] {
        check(&nested(depth));
    }
}

#[test]
fn the_problem_is_described() {
    assert!(problem(b"{\"a\":").to_string().contains("EOF"));
    assert!(problem(b"\"\xff\"").to_string().contains("unicode"));
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        flag(),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-z\"\\\\]{0,9}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            proptest::collection::vec(("[a-z\\n]{0,4}", inner), 0..5)
                .prop_map(|fields| fields.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn flag() -> impl Strategy<Value = Value> {
    any::<bool>().prop_map(|yes| json!(yes))
}

proptest! {
    #[test]
    fn whatever_serde_json_writes_is_read(value in values(), pretty in any::<bool>()) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        check(&text);
    }

    #[test]
    fn a_damaged_text_is_damaged_for_both(
        value in values(),
        at in any::<proptest::sample::Index>(),
        with in "[\\[\\]{},:\"\\\\0-9a-z. \\n-]{0,2}",
        cut in any::<bool>(),
    ) {
        let text = value.to_string();
        let chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len());
        let rest = if cut { &[][..] } else { &chars[at + 1..] };
        let damaged: String = chars[..at].iter().copied().chain(with.chars()).chain(rest.iter().copied()).collect();
        check(&damaged);
    }
}
