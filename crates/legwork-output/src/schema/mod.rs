//! JSON Schemas: of types, fitted to providers, and checked here.
//!
//! A provider takes a dialect of JSON Schema, none takes all of it. [`Schema::fit`] rewrites a
//! schema for one: what the dialect cannot say is left out, or told in a description, and is
//! checked here when the value is there. So the verdict over a value is always that of the full
//! schema.
//!
//! ```
//! use legwork_output::schema::{Dialect, Schema};
//! use serde_json::json;
//!
//! let schema = Schema::new(json!({
//!     "type": "object",
//!     "properties": {"name": {"type": "string", "minLength": 1}, "age": {"type": "integer"}},
//!     "required": ["name"],
//! }))?;
//! let fitted = schema.fit(Dialect::OpenAi)?;
//! assert_eq!(fitted.json()["required"], json!(["age", "name"]));
//! assert_eq!(fitted.json()["properties"]["age"]["type"], json!(["integer", "null"]));
//!
//! let value = fitted.restore(json!({"name": "", "age": null}));
//! let problems = schema.check(&value).unwrap_err();
//! assert_eq!(problems[0].path, "/name");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dialect;
mod fit;
mod reference;
mod restore;
mod wrap;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

pub use dialect::Dialect;
pub use fit::{Fitted, LeftOut, Unfit};
pub use wrap::Wrapper;

/// Problems reported at most; a model needs the first few, not all.
const SHOWN: usize = 8;

/// A JSON Schema, compiled; clones share it.
#[derive(Clone)]
pub struct Schema {
    json: Arc<Value>,
    validator: Arc<jsonschema::Validator>,
}

/// A schema that is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the JSON Schema is not valid: {0}")]
pub struct Error(pub String);

impl Schema {
    /// A value without the properties that are null because the dialect of some provider requires
    /// them all.
    pub(crate) fn restored(&self, mut value: Value) -> Value {
        restore::restore(self.json(), &mut value);
        value
    }

    /// The schema of what a type is deserialized from.
    ///
    /// # Errors
    /// If the type gives an invalid schema, which no derived one is.
    pub fn of<T: JsonSchema + ?Sized>() -> Result<Self, Error> {
        let generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        Self::new(generator.into_root_schema_for::<T>().to_value())
    }

    /// A schema as JSON.
    ///
    /// # Errors
    /// If it is not valid.
    pub fn new(json: Value) -> Result<Self, Error> {
        if !json.is_object() && !json.is_boolean() {
            return Err(Error("it is an object, or true or false".to_owned()));
        }
        let validator = jsonschema::validator_for(&json).map_err(|it| Error(it.to_string()))?;
        Ok(Self { json: Arc::new(json), validator: Arc::new(validator) })
    }

    /// The schema as JSON.
    pub fn json(&self) -> &Arc<Value> {
        &self.json
    }

    /// Whether each value that fits it is an object, as providers demand of a schema.
    pub fn is_of_object(&self) -> bool {
        let schema = reference::resolved(&self.json, &self.json);
        schema.get("type").is_some_and(|kind| kind == "object")
            && ["anyOf", "oneOf", "allOf"].iter().all(|union| schema.get(union).is_none())
    }

    /// Checks a value against all of it.
    ///
    /// # Errors
    /// The first problems, each with its place.
    pub fn check(&self, value: &Value) -> Result<(), Vec<Problem>> {
        if self.validator.is_valid(value) {
            return Ok(());
        }
        let errors = self.validator.iter_errors(value).take(SHOWN);
        let problem = |error: jsonschema::ValidationError<'_>| {
            let part = self.json.pointer(&error.schema_path().to_string());
            let part = part.map_or_else(String::new, |part| format!(" (schema: {part})"));
            Problem { path: error.instance_path().to_string(), what: format!("{error}{part}") }
        };
        Err(errors.map(problem).collect())
    }

    /// The schema in the dialect of a provider.
    ///
    /// # Errors
    /// If the dialect has no schema that takes all values that this one takes.
    pub fn fit(&self, dialect: Dialect) -> Result<Fitted, Unfit> {
        fit::fit(&self.json, dialect)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({})", self.json)
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

/// What is wrong with a value, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// A JSON pointer to the place; empty for the whole value.
    pub path: String,
    /// What is wrong, in words for a model.
    pub what: String,
}

impl Problem {
    /// A problem of the whole value.
    pub fn new(what: impl Into<String>) -> Self {
        Self { path: String::new(), what: what.into() }
    }

    /// A problem at a place, a JSON pointer such as `/items/0/name`.
    pub fn at(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self { path: path.into(), what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.is_empty() {
            true => f.write_str(&self.what),
            false => write!(f, "at {}: {}", self.path, self.what),
        }
    }
}
