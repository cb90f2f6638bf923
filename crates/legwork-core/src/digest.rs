//! Canonical JSON, and SHA-256 digests of it.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
        Value::Object(map) => {
            let mut keys: Vec<_> = map.iter().collect();
            keys.sort_by_key(|(key, _)| key.as_bytes());
            out.push('{');
            for (index, (key, item)) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write_canonical(item, out);
            }
            out.push('}');
        }
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(float) => out.push_str(&format!("{float:e}")),
            None => out.push_str(&number.to_string()),
        },
        scalar => out.push_str(&scalar.to_string()),
    }
}
