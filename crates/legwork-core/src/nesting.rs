//! Which JSON values a journal can hold; others are kept as their text.

use serde_json::{Map, Value};

/// The maximum nesting depth of the JSON of a journal line.
pub(crate) const LINE: usize = 120;

/// The key by which `serde_json` marks raw values: an object with this first key is not read
/// back as an object.
pub(crate) const OWN_KEY: &str = "$serde_json::private::RawValue";

/// The maximum nesting depth of a value; the entry around it adds some levels.
const DEEPEST: usize = LINE - 20;

/// The value, or its text where a journal cannot hold it: nested too deeply, or with the
/// reserved key of `serde_json`.
pub(crate) fn shallow(value: Value) -> Value {
    if fits(&value) { value } else { Value::String(value.to_string()) }
}

/// Whether a journal can hold the value as it is.
pub(crate) fn fits(value: &Value) -> bool {
    !is_deeper(value, DEEPEST) && !has_own_key(value)
}

/// Whether a journal can hold a value, which is JSON without spaces, as it is.
pub(crate) fn text_fits(json: &str) -> bool {
    // Each level takes two characters.
    (json.len() / 2 <= DEEPEST || depth(json) <= DEEPEST)
        && !(json.contains('$') && json.contains(&format!("\"{OWN_KEY}\":")))
}

/// How deeply the arrays and objects of a JSON text are nested.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut is_string, mut is_escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_string = !is_string,
            b'[' | b'{' if !is_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !is_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Whether a journal can hold each value of an object as it is.
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
