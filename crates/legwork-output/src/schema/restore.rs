//! Values of a fitted schema, turned back to values of the full one.

use serde_json::{Map, Value};

use crate::schema::reference::resolved;

/// How many parts of a value are looked at, because unions multiply.
const PARTS: usize = 100_000;

/// Removes nulls that stand for properties that are absent.
///
/// A property is removed if each schema that may apply has it as optional and without null.
pub(super) fn restore(root: &Value, value: &mut Value) {
    Restore { root, left: PARTS }.value(&[root], value);
}

struct Restore<'s> {
    root: &'s Value,
    left: usize,
}

impl<'s> Restore<'s> {
    fn value(&mut self, schemas: &[&'s Value], value: &mut Value) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        match value {
            Value::Array(items) => {
                let applying = self.applying(schemas, None);
                for (at, item) in items.iter_mut().enumerate() {
                    let of_item = applying.iter().filter_map(|schema| item_schema(schema, at));
                    self.value(&of_item.collect::<Vec<_>>(), item);
                }
            }
            Value::Object(fields) => {
                let applying = self.applying(schemas, Some(fields));
                fields.retain(|key, field| {
                    let declaring: Vec<_> =
                        applying.iter().filter_map(|it| property(it, key)).collect();
                    if field.is_null() {
                        let absent = |it: &&'s Value| {
                            let required = it.as_object().is_some_and(|it| is_required(it, key));
                            let property = property(it, key);
                            property
                                .is_none_or(|inner| !required && !accepts_null(self.root, inner, 0))
                        };
                        return declaring.is_empty() || !applying.iter().all(absent);
                    }
                    self.value(&declaring, field);
                    true
                });
            }
            _ => {}
        }
    }

    /// The schemas that may apply, with the branches of their unions, references resolved.
    fn applying(
        &self,
        schemas: &[&'s Value],
        fields: Option<&Map<String, Value>>,
    ) -> Vec<&'s Value> {
        let mut applying = Vec::new();
        let mut next: Vec<_> = schemas.to_vec();
        while let Some(schema) = next.pop().filter(|_| applying.len() < 1_000) {
            let schema = resolved(self.root, schema);
            if fields.is_some_and(|fields| is_ruled_out(schema, fields)) {
                continue;
            }
            applying.push(schema);
            for union in ["anyOf", "oneOf", "allOf"] {
                next.extend(schema.get(union).and_then(Value::as_array).into_iter().flatten());
            }
        }
        applying
    }
}

/// Whether a constant of a schema, such as the tag of a variant, differs. A null may stand for
/// a property that is absent, unless it is required.
fn is_ruled_out(schema: &Value, fields: &Map<String, Value>) -> bool {
    let Some(keywords) = schema.as_object() else { return false };
    let properties = keywords.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().any(|(key, inner)| {
        let field = fields.get(key).filter(|it| !it.is_null() || is_required(keywords, key));
        inner.get("const").zip(field).is_some_and(|(constant, field)| constant != field)
    })
}

fn item_schema(schema: &Value, at: usize) -> Option<&Value> {
    let first = schema.get("prefixItems").and_then(|items| items.get(at));
    first.or_else(|| schema.get("items"))
}

fn property<'s>(schema: &'s Value, key: &str) -> Option<&'s Value> {
    schema.get("properties")?.get(key)
}

/// Whether a schema of an object requires a key.
pub(super) fn is_required(schema: &Map<String, Value>, key: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|name| name == key))
}

/// Whether null may fit a schema; what cannot be decided counts as yes.
pub(super) fn accepts_null(root: &Value, schema: &Value, depth: usize) -> bool {
    let schema = resolved(root, schema);
    if depth > 16 {
        return true;
    }
    let Some(keywords) = schema.as_object() else { return schema != false };
    let of_type = keywords.get("type").is_none_or(|kind| match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "null"),
        kind => kind == "null",
    });
    let of_enum = keywords.get("enum").and_then(Value::as_array);
    of_type
        && of_enum.is_none_or(|all| all.contains(&Value::Null))
        && keywords.get("const").is_none_or(Value::is_null)
        && ["anyOf", "oneOf"].iter().all(|union| {
            let branches = keywords.get(*union).and_then(Value::as_array);
            branches.is_none_or(|all| all.iter().any(|it| accepts_null(root, it, depth + 1)))
        })
        && keywords
            .get("allOf")
            .and_then(Value::as_array)
            .is_none_or(|all| all.iter().all(|inner| accepts_null(root, inner, depth + 1)))
}
