//! Canonical JSON and digests of it.

use legwork_core::Digest;
use legwork_core::digest::canonical;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::arbitrary;

#[test]
fn s10_2_a_digest_is_that_of_sha_256() {
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(Digest::of_bytes(b"").as_str(), empty);
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(Digest::of_bytes(b"abc").to_string(), abc);
    assert_eq!(Digest::of(&json!({})), Digest::of_bytes(b"{}"));
}

#[test]
fn s10_2_canonical_json_sorts_keys_by_their_bytes_and_has_no_spaces() {
    let value =
        json!({"b": [1, -0.5, 1e300], "a": {"\u{0}": null, "é": true, "z": "\n\"\u{2028}"}});
    let expected =
        "{\"a\":{\"\\u0000\":null,\"z\":\"\\n\\\"\u{2028}\",\"é\":true},\"b\":[1,-5e-1,1e300]}";
    assert_eq!(canonical(&value), expected);
    let texts = json!(["\\", "\u{1f}", "\u{7f}", " ", false, 0.0]);
    assert_eq!(canonical(&texts), "[\"\\\\\",\"\\u001f\",\"\u{7f}\",\" \",false,0e0]");
    // By UTF-8 bytes: U+FF5E comes before U+1F600, which UTF-16 would turn around.
    assert_eq!(canonical(&json!({"😀": 1, "～": 2})), "{\"～\":2,\"😀\":1}");
}

#[test]
fn s10_2_numbers_that_differ_have_digests_that_differ() {
    assert_ne!(Digest::of(&json!(u64::MAX)), Digest::of(&json!(u64::MAX - 1)));
    assert_ne!(Digest::of(&json!(0.1)), Digest::of(&json!(0.1 + f64::EPSILON)));
    assert_ne!(Digest::of(&json!("1")), Digest::of(&json!(1)));
}

/// The same value with the keys of every object put in from the last to the first.
fn turned_round(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(turned_round).collect(),
        Value::Object(map) => {
            let entries: Vec<_> = map.iter().map(|(k, v)| (k.clone(), turned_round(v))).collect();
            Value::Object(entries.into_iter().rev().collect::<Map<_, _>>())
        }
        scalar => scalar.clone(),
    }
}

proptest! {
    #![proptest_config(arbitrary::cases(256))]

    #[test]
    fn s10_2_a_digest_does_not_depend_on_the_order_of_keys(value in arbitrary::json()) {
        prop_assert_eq!(Digest::of(&value), Digest::of(&turned_round(&value)));
        // Canonical JSON is JSON, of the same value.
        let back: Value = serde_json::from_str(&canonical(&value)).unwrap();
        prop_assert_eq!(canonical(&back), canonical(&value));
        prop_assert_eq!(back, value);
    }
}
