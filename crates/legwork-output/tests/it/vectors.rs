//! The test vectors of nst/JSONTestSuite.

use legwork_output::partial::{Parser, Value};

use crate::prefixes::check_prefixes;
use crate::shared;

fn vectors(kind: &str) -> Vec<(String, Vec<u8>)> {
    let all = shared("json/test_parsing").into_iter();
    all.filter(|(name, _)| name.starts_with(kind)).collect()
}

fn strict(text: &[u8], piece: usize) -> Result<Value, legwork_output::partial::Error> {
    let mut parser = Parser::strict();
    for piece in text.chunks(piece) {
        parser.push(piece)?;
    }
    parser.finish()
}

#[test]
fn strict_takes_what_must_be_taken_as_serde_json_does() {
    for (name, text) in vectors("y_") {
        let wanted: serde_json::Value = serde_json::from_slice(&text).unwrap();
        for piece in [1, 3, text.len().max(1)] {
            let value = strict(&text, piece);
            let value = value.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(value.to_json(), wanted, "{name}");
            assert!(value.is_complete(), "{name}");
        }
    }
}

#[test]
fn strict_refuses_what_must_be_refused() {
    for (name, text) in vectors("n_") {
        for piece in [1, text.len().max(1)] {
            assert!(strict(&text, piece).is_err(), "{name}");
        }
    }
}

#[test]
fn strict_decides_where_it_may_as_serde_json_does() {
    for (name, text) in vectors("i_") {
        let wanted = serde_json::from_slice::<serde_json::Value>(&text).ok();
        assert_eq!(strict(&text, 1).ok().map(|value| value.to_json()), wanted, "{name}");
    }
}

#[test]
fn lenient_reads_what_strict_takes_as_strict_does() {
    for (name, text) in vectors("y_") {
        let mut parser = Parser::lenient();
        text.chunks(1).for_each(|piece| parser.push(piece).unwrap());
        let value = parser.finish().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(value, strict(&text, 1).unwrap(), "{name}");
    }
}

#[test]
fn lenient_reads_anything_without_a_panic() {
    for (_, text) in vectors("") {
        let mut parser = Parser::lenient();
        let _ = text.chunks(7).try_for_each(|piece| parser.push(piece));
        parser.value();
        let _ = parser.finish();
    }
}

#[test]
fn the_value_of_each_prefix_is_extended_by_the_whole() {
    for (name, text) in vectors("y_") {
        check_prefixes(&name, &text, Parser::strict);
        check_prefixes(&name, &text, Parser::lenient);
    }
}
