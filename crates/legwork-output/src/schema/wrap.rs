//! Values that are no objects, wrapped into one where an object is demanded.

use serde_json::{Map, Value, json};

use crate::schema::fit::DEFINITIONS;
use crate::schema::{Error, Schema};

/// An object with one key, which holds a value that is no object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wrapper {
    key: &'static str,
}

impl Wrapper {
    /// The wrapper that values of a schema need: none for objects, `items` for arrays, `value`
    /// for others.
    pub fn of(schema: &Schema) -> Option<Self> {
        if schema.is_of_object() {
            return None;
        }
        let is_array = schema.json().get("type").is_some_and(|kind| kind == "array");
        Some(Self { key: if is_array { "items" } else { "value" } })
    }

    /// The key that holds the value.
    pub fn key(self) -> &'static str {
        self.key
    }

    /// The schema of the object.
    ///
    /// # Errors
    /// If the schema is valid only by itself.
    pub fn wrap(self, schema: &Schema) -> Result<Schema, Error> {
        let mut inner = (**schema.json()).clone();
        let mut outermost = Map::new();
        if let Some(inner) = inner.as_object_mut() {
            inner.remove("$schema");
            outermost.extend(DEFINITIONS.iter().filter_map(|place| inner.remove_entry(*place)));
        }
        if refers_to_root(&inner) || outermost.values().any(refers_to_root) {
            let name = "Root";
            outermost.values_mut().for_each(|schema| rename_root(schema, name));
            rename_root(&mut inner, name);
            let definitions = outermost.entry("$defs").or_insert_with(|| json!({}));
            if let Some(definitions) = definitions.as_object_mut() {
                definitions.insert(name.to_owned(), inner);
            }
            inner = json!({"$ref": format!("#/$defs/{name}")});
        }
        let mut outer = json!({
            "type": "object",
            "properties": {self.key: inner},
            "required": [self.key],
            "additionalProperties": false,
        });
        if let Some(outer) = outer.as_object_mut() {
            outer.extend(outermost);
        }
        Schema::new(outer)
    }

    /// The value in the object; a value that is not wrapped stays as it is.
    pub fn unwrap(self, value: Value) -> Value {
        match value {
            Value::Object(mut object) if object.len() == 1 && object.contains_key(self.key) => {
                object.remove(self.key).unwrap_or_default()
            }
            value => value,
        }
    }
}

fn refers_to_root(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => {
            keywords.get("$ref").is_some_and(|to| to == "#")
                || keywords.values().any(refers_to_root)
        }
        Value::Array(items) => items.iter().any(refers_to_root),
        _ => false,
    }
}

fn rename_root(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(keywords) => {
            if let Some(to) = keywords.get_mut("$ref").filter(|to| *to == "#") {
                *to = format!("#/$defs/{name}").into();
            }
            keywords.values_mut().for_each(|inner| rename_root(inner, name));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename_root(item, name)),
        _ => {}
    }
}
