//! Objects and arrays in a dialect.

use serde_json::{Value, json};

use crate::schema::Dialect;
use crate::schema::fit::Unfit;
use crate::schema::fit::walk::{Keywords, Walk};
use crate::schema::restore::{accepts_null, is_required};

impl<'s> Walk<'s> {
    /// Rewrites what is said about an object.
    pub(super) fn objects(
        &mut self,
        keywords: &'s Keywords,
        fitted: &mut Keywords,
    ) -> Result<(), Unfit> {
        let is_object = may_be(keywords, "object");
        if !is_object && !keywords.contains_key("properties") {
            return Ok(());
        }
        let more = keywords.get("additionalProperties").filter(|more| **more != false);
        let declared = keywords.get("properties").and_then(Value::as_object);
        let is_map =
            more.is_some_and(|more| *more != true) || (declared.is_none() && more.is_some());
        if is_map || keywords.contains_key("patternProperties") {
            return Err(self.unfit("an object with keys that are not known before"));
        }
        let is_empty = declared.is_none_or(serde_json::Map::is_empty);
        // Closed, as a dialect wants it, an object of any keys would have none.
        let is_open = keywords.get("additionalProperties") != Some(&Value::Bool(false));
        if is_empty && (is_open || self.dialect == Dialect::Gemini) {
            return Err(self.unfit("an object without properties"));
        }
        let mut properties = Keywords::new();
        let mut required = Vec::new();
        for (name, property) in declared.into_iter().flatten() {
            let needed = is_required(keywords, name);
            let mut inner = self.at(&["properties", name], |walk| walk.schema(property))?;
            if !needed && self.dialect == Dialect::OpenAi {
                inner = nullable(inner, accepts_null(self.document(), property, 0));
            }
            if needed || self.dialect == Dialect::OpenAi {
                required.push(Value::from(name.as_str()));
            }
            properties.insert(name.clone(), inner);
        }
        if self.dialect != Dialect::Gemini {
            fitted.insert("additionalProperties".to_owned(), false.into());
        }
        fitted.insert("properties".to_owned(), properties.into());
        fitted.insert("required".to_owned(), required.into());
        Ok(())
    }

    /// Rewrites what is said about an array.
    pub(super) fn arrays(
        &mut self,
        keywords: &'s Keywords,
        fitted: &mut Keywords,
    ) -> Result<(), Unfit> {
        let is_array = may_be(keywords, "array");
        let first = keywords.get("prefixItems").and_then(Value::as_array);
        if let Some(first) = first {
            return self.tuple(first, fitted);
        }
        match keywords.get("items") {
            Some(items) => {
                let items = self.at(&["items"], |walk| walk.schema(items))?;
                fitted.insert("items".to_owned(), items);
                Ok(())
            }
            None if is_array => Err(self.unfit("an array of values of any kind")),
            None => Ok(()),
        }
    }

    /// An array whose places differ: each item may be any of them.
    fn tuple(&mut self, first: &'s [Value], fitted: &mut Keywords) -> Result<(), Unfit> {
        let mut kinds: Vec<Value> = Vec::new();
        for (at, schema) in first.iter().enumerate() {
            let schema = self.at(&["prefixItems", &at.to_string()], |walk| walk.schema(schema))?;
            if !kinds.contains(&schema) {
                kinds.push(schema);
            }
        }
        let one = if kinds.len() == 1 { kinds.pop() } else { None };
        fitted.insert("items".to_owned(), one.unwrap_or_else(|| json!({"anyOf": kinds})));
        self.leave_out("prefixItems");
        Ok(())
    }
}

/// Whether a type is the one, or one of several, that a schema names.
fn may_be(keywords: &Keywords, wanted: &str) -> bool {
    match keywords.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == wanted),
        kind => kind.is_some_and(|kind| kind == wanted),
    }
}

/// A schema that null fits too.
fn nullable(schema: Value, accepts_null: bool) -> Value {
    if accepts_null {
        return schema;
    }
    let Value::Object(mut keywords) = schema else { return schema };
    let of_values = keywords.contains_key("enum") || keywords.contains_key("const");
    if let Some(Value::Array(branches)) = keywords.get_mut("anyOf") {
        branches.push(json!({"type": "null"}));
        return keywords.into();
    }
    if let Some(kind) = keywords.get_mut("type").filter(|kind| kind.is_string() && !of_values) {
        *kind = json!([kind, "null"]);
        return keywords.into();
    }
    let description = keywords.remove("description");
    let mut outer = json!({"anyOf": [keywords, {"type": "null"}]});
    if let (Some(outer), Some(description)) = (outer.as_object_mut(), description) {
        outer.insert("description".to_owned(), description);
    }
    outer
}
