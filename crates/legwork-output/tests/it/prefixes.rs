//! The value of a prefix is extended by the value of the whole.

use legwork_output::partial::{Object, Parser, Value};
use proptest::prelude::*;

/// Checks all prefixes of a text that is JSON: pushed byte by byte, and pushed at once.
pub(crate) fn check_prefixes(name: &str, text: &[u8], make: fn() -> Parser) {
    let whole: serde_json::Value = serde_json::from_slice(text).unwrap();
    let mut bytewise = make();
    let mut before: Option<Value> = None;
    for at in 0..=text.len() {
        let mut at_once = make();
        at_once.push(&text[..at]).unwrap();
        let value = at_once.value();
        assert_eq!(bytewise.value(), value, "{name} cut at {at}");
        if let Some(value) = &value {
            assert!(extends(&whole, value), "{name} cut at {at}: {value:?}");
        }
        if let Some(before) = &before {
            let json = value.as_ref().unwrap().to_json();
            assert!(extends(&json, before), "{name} cut at {at}: {json} after {before:?}");
        }
        before = value;
        if let Some(byte) = text.get(at) {
            bytewise.push([*byte]).unwrap();
        }
    }
}

/// Whether a value is a part of another, which may have more at its end.
fn extends(whole: &serde_json::Value, part: &Value) -> bool {
    use serde_json::Value as Json;
    match (whole, part) {
        (Json::Null, Value::Null) => true,
        (Json::Bool(whole), Value::Bool(part)) => whole == part,
        (Json::Number(whole), Value::Number(part)) => whole == part,
        (Json::String(whole), Value::Text(part)) if part.is_complete() => *whole == part.as_str(),
        (Json::String(whole), Value::Text(part)) => whole.starts_with(&*part.as_str()),
        (Json::Array(whole), Value::Array(part)) => {
            let same_length = whole.len() == part.len() || !part.is_complete();
            same_length
                && whole.len() >= part.len()
                && whole.iter().zip(part.iter()).all(|(whole, part)| extends(whole, part))
        }
        (Json::Object(whole), Value::Object(part)) => entries_extend(whole, part),
        _ => false,
    }
}

/// Of a key that occurs twice, only the last value counts, which may not have come yet.
fn entries_extend(whole: &serde_json::Map<String, serde_json::Value>, part: &Object) -> bool {
    let last = |(at, (key, _)): &(usize, (&str, &Value))| {
        part.iter().skip(at + 1).all(|(other, _)| other != *key)
    };
    part.iter().enumerate().filter(last).all(|(_, (key, value))| {
        whole.get(key).is_some_and(|whole| DUPLICATES.contains(&key) || extends(whole, value))
    })
}

/// The keys that occur twice in the test vectors.
const DUPLICATES: [&str; 1] = ["a"];

/// JSON of any kind; its keys are unlike those that occur twice.
fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value as Json;
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        ".{0,12}".prop_map(Json::from),
        "[ \"\\\\/\n\u{1}é😀]{0,8}".prop_map(Json::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            proptest::collection::btree_map("k.{0,4}", inner, 0..6)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

/// The text of a value, with white space and escapes that `serde_json` does not write.
fn written(value: &serde_json::Value, pretty: bool) -> String {
    match pretty {
        true => serde_json::to_string_pretty(value).unwrap().replace('/', "\\/"),
        false => value.to_string().replace('é', "\\u00e9").replace('😀', "\\ud83d\\ude00"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn each_prefix_of_random_json_is_extended(value in json(), pretty: bool) {
        let text = written(&value, pretty);
        check_prefixes(&text, text.as_bytes(), Parser::strict);
        check_prefixes(&text, text.as_bytes(), Parser::lenient);
    }

    #[test]
    fn random_json_cut_anywhere_is_read_as_serde_json_reads_it(
        value in json(), pretty: bool, sizes in proptest::collection::vec(1_usize..9, 1..20),
    ) {
        let text = written(&value, pretty);
        for mut parser in [Parser::strict(), Parser::lenient()] {
            let (mut rest, mut sizes) = (text.as_bytes(), sizes.iter().cycle());
            while !rest.is_empty() {
                let (piece, more) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
                parser.push(piece).unwrap();
                parser.value();
                rest = more;
            }
            let wanted: serde_json::Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(parser.finish().unwrap().to_json(), wanted);
        }
    }

    #[test]
    fn random_text_agrees_with_serde_json(text in r#"[\[\]{},:" 01.eE+\-\\untrlsfa]{0,16}"#) {
        let mut parser = Parser::strict();
        let pushed = parser.push(&text);
        let ours = pushed.and_then(|()| parser.finish()).map(|value| value.to_json()).ok();
        prop_assert_eq!(ours, serde_json::from_str::<serde_json::Value>(&text).ok());
    }
}
