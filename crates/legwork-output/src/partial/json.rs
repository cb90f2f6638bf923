//! Partial values as ordinary JSON.

use serde::de::DeserializeOwned;
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::partial::Value;

impl Value {
    /// A copy as ordinary JSON; of equal keys, the last one.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(value) => serde_json::Value::Bool(*value),
            Self::Number(number) => serde_json::Value::Number(number.clone()),
            Self::Text(text) => serde_json::Value::String(text.as_str().into_owned()),
            Self::Array(array) => array.iter().map(Self::to_json).collect(),
            Self::Object(object) => {
                object.iter().map(|(key, value)| (key.to_owned(), value.to_json())).collect()
            }
        }
    }

    /// Deserializes a copy of it, such as into a struct whose fields all have defaults.
    ///
    /// It costs as much as the value is large: do it when somebody wants to see the result, not
    /// for each piece that arrives.
    ///
    /// # Errors
    /// If a `T` needs something that has not arrived yet, or something else.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_value(self.to_json())
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.collect_str(text),
            Self::Array(array) => serializer.collect_seq(array.iter()),
            Self::Object(object) => {
                let mut map = serializer.serialize_map(None)?;
                for (key, value) in object.iter() {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}
