//! A state without what is large: for logs, telemetry and lists.

use serde_json::{Map, Value, json};

use crate::digest::Digest;
use crate::state::AgentState;

impl AgentState {
    /// The state as JSON, slim: the provider's raw fields and every text of more than
    /// `longest` bytes, large results above all, are left out and named by their digest,
    /// `{"left_out": "sha256:..", "bytes": 12345}`.
    ///
    /// It is for reading; the journal has it all, and a state is made from that alone.
    ///
    /// # Errors
    /// When a value in the state does not serialise.
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

/// Only a response has `raw` beside `message` and `finish`.
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
