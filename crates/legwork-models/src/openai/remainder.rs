//! The provider's fields that have no place in the parts, merged over a stream.

use serde_json::{Map, Value};

/// Merges a field: objects by key, array items by their `index`, text by its
/// name; of everything else the last one counts. What is empty says nothing.
pub(super) fn merge(into: &mut Map<String, Value>, key: &str, value: Value) {
    if is_empty(&value) {
        return;
    }
    let Some(kept) = into.get_mut(key) else {
        into.insert(key.to_owned(), value);
        return;
    };
    match (kept, value) {
        (Value::Object(kept), Value::Object(new)) => merge_all(kept, new),
        (Value::Array(kept), Value::Array(new)) => {
            new.into_iter().for_each(|item| merge_item(kept, item));
        }
        (Value::String(kept), Value::String(new)) if comes_in_pieces(key) => kept.push_str(&new),
        (kept, new) => *kept = new,
    }
}

/// Merges an object as a field.
pub(super) fn merge_map(into: &mut Map<String, Value>, key: &str, fields: Map<String, Value>) {
    if !fields.is_empty() {
        merge(into, key, Value::Object(fields));
    }
}

fn merge_all(into: &mut Map<String, Value>, new: Map<String, Value>) {
    for (key, value) in new {
        merge(into, &key, value);
    }
}

/// An item with the index of a kept one goes on where that one ended.
fn merge_item(kept: &mut Vec<Value>, item: Value) {
    let Some(index) = item.get("index").filter(|index| !index.is_null()) else {
        kept.push(item);
        return;
    };
    let same = kept
        .iter_mut()
        .find(|k| k.get("index") == Some(index) && k.get("type") == item.get("type"));
    match (same.and_then(Value::as_object_mut), item) {
        (Some(same), Value::Object(new)) => merge_all(same, new),
        (_, item) => kept.push(item),
    }
}

fn comes_in_pieces(key: &str) -> bool {
    matches!(key, "text" | "summary" | "data" | "content" | "arguments" | "output" | "signature")
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
