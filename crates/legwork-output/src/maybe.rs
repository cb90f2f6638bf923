//! A value, or the reason why there is none.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A value, or the reason why a model cannot give one.
///
/// A model that has to give a value invents one. This lets it say why not.
///
/// ```
/// use legwork_output::{Maybe, Output};
///
/// let age = Output::<Maybe<u8>>::of()?;
/// assert_eq!(age.read(r#"{"value": {"found": 41}}"#)?, Maybe::Found(41));
/// let missing = age.read(r#"{"value": {"missing": "the text gives no age"}}"#)?;
/// assert_eq!(missing.into_result().unwrap_err().to_string(), "the text gives no age");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maybe<T> {
    /// The value.
    Found(T),
    /// The reason why there is none.
    Missing(String),
}

/// The reason why a model gave no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Missing(pub String);

impl<T> Maybe<T> {
    /// The value.
    ///
    /// # Errors
    /// The reason why there is none.
    pub fn into_result(self) -> Result<T, Missing> {
        match self {
            Self::Found(value) => Ok(value),
            Self::Missing(reason) => Err(Missing(reason)),
        }
    }

    /// The value, if there is one.
    pub fn found(self) -> Option<T> {
        self.into_result().ok()
    }
}

impl<T: JsonSchema> JsonSchema for Maybe<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Maybe_{}", T::schema_name()).into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("{}::Maybe<{}>", module_path!(), T::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let found = generator.subschema_for::<T>();
        json_schema!({
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"found": found},
                    "required": ["found"],
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "properties": {"missing": {
                        "type": "string",
                        "description": "Why the value cannot be given.",
                    }},
                    "required": ["missing"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}
