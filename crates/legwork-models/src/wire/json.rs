//! Writing JSON into a body.

use serde::Serialize;
use serde_json::Value;

/// Whether a schema is that of any object, by which a request asks for JSON mode.
pub(crate) fn is_any_object(schema: &Value) -> bool {
    let fields = schema.as_object();
    fields.is_some_and(|fields| fields.len() == 1 && fields.get("type") == Some(&"object".into()))
}

/// Appends a field behind others.
pub(crate) fn field(out: &mut Vec<u8>, key: &str, value: &Value) {
    out.push(b',');
    write(out, key);
    out.push(b':');
    write(out, value);
}

/// Writing JSON made of text and values to memory cannot fail.
pub(crate) fn write<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "text and values are always JSON");
}

/// Appends the fields of a provider behind others, but for those that are written already.
pub(crate) fn other_fields(out: &mut Vec<u8>, provider: Option<&Value>, written: &[&str]) {
    let Some(fields) = provider.and_then(Value::as_object) else { return };
    for (key, value) in fields {
        if !written.contains(&key.as_str()) {
            field(out, key, value);
        }
    }
}
