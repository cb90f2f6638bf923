//! A JSON value that is kept as its text.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::nesting;

/// A JSON value, kept as its text: a fraction of the room that the value takes.
///
/// The text has no spaces, and the fields of objects are in the order of their names, so that
/// equal values are equal texts. (With the feature `preserve_order` of `serde_json` they are in
/// the order in which they came.)
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transparent, inline))]
pub struct JsonText(#[cfg_attr(feature = "schema", schemars(with = "Value"))] Box<str>);

impl JsonText {
    /// An object with these texts as its fields.
    ///
    /// ```
    /// use legwork_core::message::JsonText;
    /// let fields = JsonText::object([("type", "function_call"), ("id", "fc_1")]);
    /// assert_eq!(fields.as_str(), r#"{"id":"fc_1","type":"function_call"}"#);
    /// ```
    pub fn object<const N: usize>(mut fields: [(&str, &str); N]) -> Self {
        fields.sort_unstable();
        // What is kept has no room to spare.
        let length = fields.iter().map(|(name, text)| name.len() + text.len() + 6).sum::<usize>();
        let mut json = String::with_capacity(length + 1);
        for (name, text) in fields {
            json.push(if json.is_empty() { '{' } else { ',' });
            push_string(name, &mut json);
            json.push(':');
            push_string(text, &mut json);
        }
        json.push_str(if json.is_empty() { "{}" } else { "}" });
        Self(json.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value; one that is nested too deeply to be read is its text.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_else(|_| Value::String((*self.0).to_owned()))
    }

    /// Whether a journal can hold it as it is.
    pub(super) fn fits(&self) -> bool {
        nesting::text_fits(&self.0)
    }

    /// The same; its text as a string if a journal cannot hold it.
    pub(super) fn for_journal(self) -> Self {
        if self.fits() { self } else { Value::String((*self.0).to_owned()).into() }
    }
}

/// Appends a text as JSON.
fn push_string(text: &str, json: &mut String) {
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    match text.bytes().all(is_plain) {
        true => json.extend(["\"", text, "\""]),
        false => json.push_str(&Value::from(text).to_string()),
    }
}

impl From<Value> for JsonText {
    fn from(value: Value) -> Self {
        Self(value.to_string().into())
    }
}

impl PartialEq<Value> for JsonText {
    fn eq(&self, other: &Value) -> bool {
        *self.0 == *other.to_string()
    }
}

impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}
