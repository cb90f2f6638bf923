//! The arguments of a call in APIs that take only objects.

use legwork_core::ToolCall;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::write;

/// Appends the arguments as the model wrote them if they are an object; else an object that shows
/// them to the model as text.
pub(crate) fn append_arguments(out: &mut Vec<u8>, call: &ToolCall) {
    match call.arguments.trim() {
        "" => out.extend_from_slice(b"{}"),
        written if is_object(written) => out.extend_from_slice(written.as_bytes()),
        _ => write(out, &json!({"arguments": &*call.arguments})),
    }
}

/// Whether a text is an object that each server can read.
fn is_object(written: &str) -> bool {
    // Nested little and without escapes of code units, its syntax is all there is to check.
    written.starts_with('{')
        && match is_plain(written) {
            true => serde_json::from_str::<IgnoredAny>(written).is_ok(),
            false => serde_json::from_str::<Value>(written).is_ok(),
        }
}

/// Objects and lists in a text that is certainly nested less than parsers allow.
const FEW: usize = 64;

/// Whether a text has few objects and lists, and no escape that begins with `\u`.
fn is_plain(written: &str) -> bool {
    let (mut opened, mut before) = (0, 0);
    for byte in written.bytes() {
        match byte {
            b'{' | b'[' => opened += 1,
            b'u' if before == b'\\' => return false,
            _ => {}
        }
        before = byte;
    }
    opened <= FEW
}

#[cfg(test)]
mod tests;
