//! Fields of which those from outside are joined with those of the wire.

use legwork_core::ModelRequest;
use serde_json::{Map, Value};

use super::Frame;

/// A field with what the builder and then the settings set of it.
pub(crate) fn joined(
    key: &str,
    own: Map<String, Value>,
    request: &ModelRequest,
    frame: Frame<'_>,
) -> Value {
    let mut all = Value::Object(own);
    for set in [frame.extra, &request.settings.extra].into_iter().filter_map(|set| set.get(key)) {
        put_over(&mut all, set);
    }
    all
}

/// The fields that have a value.
pub(crate) fn set(
    fields: impl IntoIterator<Item = (&'static str, Option<Value>)>,
) -> Map<String, Value> {
    let mut all = Map::new();
    // One by one, for there are few: to collect them would sort a list first.
    for (key, value) in fields {
        if let Some(value) = value {
            all.insert(key.to_owned(), value);
        }
    }
    all
}

/// Puts a value over another: objects field by field.
fn put_over(under: &mut Value, over: &Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                put_over(under.entry(key).or_insert(Value::Null), value);
            }
        }
        (under, over) => *under = over.clone(),
    }
}
