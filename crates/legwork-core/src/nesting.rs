//! Values that a journal can keep, and the others as their text.

use serde_json::{Map, Value};

/// How deeply the JSON of a journal's line may be nested.
pub(crate) const LINE: usize = 120;

/// A key by which `serde_json` tells its raw values: an object that has it first is read as
/// what it holds, or not at all.
pub(crate) const OWN_KEY: &str = "$serde_json::private::RawValue";

/// How deeply a value may be nested; what is around it in a journal's line adds some.
const DEEPEST: usize = LINE - 20;

/// The value, as its text where a journal could not keep it: nested too deeply, or with a key
/// of `serde_json`'s own.
pub(crate) fn shallow(value: Value) -> Value {
    if fits(&value) { value } else { Value::String(value.to_string()) }
}

/// Whether a journal can keep the value as it is.
pub(crate) fn fits(value: &Value) -> bool {
    !is_deeper(value, DEEPEST) && !has_own_key(value)
}

/// Whether a journal can keep each value of an object as it is.
pub(crate) fn all_fit(map: &Map<String, Value>) -> bool {
    !map.contains_key(OWN_KEY) && map.values().all(fits)
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    let Some(left) = levels.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, left)),
        Value::Object(map) => map.values().any(|item| is_deeper(item, left)),
        _ => false,
    }
}

fn has_own_key(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_own_key),
        Value::Object(map) => map.contains_key(OWN_KEY) || map.values().any(has_own_key),
        _ => false,
    }
}
