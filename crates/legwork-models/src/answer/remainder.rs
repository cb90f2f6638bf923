//! The provider's fields that have no place in the parts, merged over a stream.

use serde_json::{Map, Value};

use super::room::{field, weight, weight_of};

/// The fields of one level; mostly there are none, and to drop an empty map takes longer than to
/// see that there is none.
#[derive(Debug, Default)]
pub(crate) struct Remainder(Option<Map<String, Value>>);

impl Remainder {
    /// Merges a field as [`merge`] does.
    pub(crate) fn merge(&mut self, key: &str, value: Value) -> usize {
        match is_empty(&value) {
            true => 0,
            false => merge(self.0.get_or_insert_default(), key, value),
        }
    }

    /// Merges fields as one field, an object.
    pub(crate) fn merge_as(&mut self, key: &str, fields: Self) -> usize {
        fields.0.map_or(0, |fields| self.merge(key, Value::Object(fields)))
    }

    /// Merges other fields into these.
    pub(crate) fn join(&mut self, other: Self) -> usize {
        match (&mut self.0, other.0) {
            (_, None) => 0,
            (Some(kept), Some(new)) => merge_all(kept, new),
            (none, Some(new)) => weight_of(none.insert(new)),
        }
    }

    /// Whether there are no fields.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The fields, of which there is at least one.
    pub(crate) fn into_fields(self) -> Option<Map<String, Value>> {
        self.0
    }
}

/// How many items of a list are searched for the one that another continues.
const OPEN_ITEMS: usize = 64;

/// Merges a field: objects by key, array items by their `index`, text by its
/// name; of everything else the last one counts. What is empty says nothing.
///
/// Returns how much its weight grew.
pub(crate) fn merge(into: &mut Map<String, Value>, key: &str, value: Value) -> usize {
    if is_empty(&value) {
        return 0;
    }
    let Some(kept) = into.get_mut(key) else {
        let added = field(key, &value);
        into.insert(key.to_owned(), value);
        return added;
    };
    match (kept, value) {
        (Value::Object(kept), Value::Object(new)) => merge_all(kept, new),
        (Value::Array(kept), Value::Array(new)) => {
            new.into_iter().map(|item| merge_item(kept, item)).sum()
        }
        (Value::String(kept), Value::String(new)) if comes_in_pieces(key) => {
            kept.push_str(&new);
            new.len()
        }
        (kept, new) => {
            let added = weight(&new).saturating_sub(weight(kept));
            *kept = new;
            added
        }
    }
}

fn merge_all(into: &mut Map<String, Value>, new: Map<String, Value>) -> usize {
    new.into_iter().map(|(key, value)| merge(into, &key, value)).sum()
}

/// An item with the index of a kept one continues that one. Only the last items
/// are searched: to search all of them each time would be quadratic.
fn merge_item(kept: &mut Vec<Value>, item: Value) -> usize {
    let same = match item.get("index").filter(|index| !index.is_null()) {
        None => None,
        Some(index) => kept
            .iter_mut()
            .rev()
            .take(OPEN_ITEMS)
            .find(|k| k.get("index") == Some(index) && k.get("type") == item.get("type")),
    };
    match (same.and_then(Value::as_object_mut), item) {
        (Some(same), Value::Object(new)) => merge_all(same, new),
        (_, item) => {
            let added = weight(&item);
            kept.push(item);
            added
        }
    }
}

fn comes_in_pieces(key: &str) -> bool {
    matches!(key, "text" | "summary" | "data" | "content" | "arguments" | "output" | "signature")
}

pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
