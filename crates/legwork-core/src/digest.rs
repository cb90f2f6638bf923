//! Canonical JSON, and SHA-256 digests of it.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use crate::lean;

/// A SHA-256 digest, shown as 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Digest(#[serde(deserialize_with = "lean::text")] Arc<str>);

impl Digest {
    /// The digest of bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let hash = hmac_sha256::Hash::hash(bytes);
        let mut text = String::with_capacity(64);
        for byte in hash {
            text.push(hex_digit(byte >> 4));
            text.push(hex_digit(byte & 15));
        }
        Self(text.into())
    }

    /// The digest of a value's canonical JSON.
    pub fn of(value: &Value) -> Self {
        Self::of_bytes(canonical(value).as_bytes())
    }

    /// The digest of the canonical JSON of any serializable value.
    ///
    /// # Errors
    /// If the value cannot be serialized to JSON.
    pub fn of_serialize<T: Serialize>(value: &T) -> Result<Self, serde_json::Error> {
        Ok(Self::of(&serde_json::to_value(value)?))
    }

    /// The 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn hex_digit(nibble: u8) -> char {
    char::from_digit(u32::from(nibble), 16).unwrap_or('0')
}

/// Canonical JSON: equal values have the same text, with sorted keys and no spaces.
///
/// Keys are sorted by their UTF-8 bytes. A floating-point number is written as its shortest
/// digits and an exponent, like `1e-1`, so that the text does not depend on a library.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::String(text) => write_text(text, out),
        Value::Number(number) => write_number(number, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        // A map of serde_json keeps the order of insertion if any crate of the program asks for
        // that.
        Value::Object(map) if map.keys().is_sorted() => write_object(map, out),
        Value::Object(map) => {
            let mut items: Vec<_> = map.iter().collect();
            items.sort_unstable_by_key(|(key, _)| *key);
            write_object(items, out);
        }
    }
}

fn write_object<'v>(items: impl IntoIterator<Item = (&'v String, &'v Value)>, out: &mut String) {
    out.push('{');
    for (index, (key, item)) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_text(key, out);
        out.push(':');
        write_canonical(item, out);
    }
    out.push('}');
}

fn write_text(text: &str, out: &mut String) {
    let is_plain = text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\');
    if is_plain {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&Value::from(text).to_string());
    }
}

fn write_number(number: &Number, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match number.as_f64() {
        Some(float) if number.is_f64() => write!(out, "{float:e}"),
        _ => write!(out, "{number}"),
    };
}
