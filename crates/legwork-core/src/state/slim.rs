//! The state without large texts, for logs and telemetry.

use serde_json::{Map, Value, json};

use crate::digest::Digest;
use crate::state::AgentState;

impl AgentState {
    /// The state as JSON, without the provider's raw fields and texts of more than `longest` bytes.
    ///
    /// These are replaced by their digest, `{"left_out": "<digest>", "bytes": 12345}`. It cannot
    /// be read back into a state.
    ///
    /// # Errors
    /// If a value in the state cannot be serialized.
    pub fn slim(&self, longest: usize) -> Result<Value, serde_json::Error> {
        let mut value = serde_json::to_value(self)?;
        leave_out(&mut value, longest);
        Ok(value)
    }
}

fn leave_out(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) if text.len() > longest => *value = named(text.as_bytes()),
        Value::Array(items) => items.iter_mut().for_each(|item| leave_out(item, longest)),
        Value::Object(fields) => {
            leave_out_raw(fields);
            fields.values_mut().for_each(|field| leave_out(field, longest));
        }
        _ => {}
    }
}

/// Only a response has the three fields `raw`, `message` and `finish`.
fn leave_out_raw(fields: &mut Map<String, Value>) {
    if !fields.contains_key("message") || !fields.contains_key("finish") {
        return;
    }
    if let Some(raw) = fields.get_mut("raw") {
        *raw = named(raw.to_string().as_bytes());
    }
}

fn named(bytes: &[u8]) -> Value {
    json!({"left_out": Digest::of_bytes(bytes), "bytes": bytes.len()})
}
