//! The arguments of a call in APIs that take only objects.

use legwork_core::ToolCall;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::write;

/// Appends the arguments as the model wrote them if they are an object; else an object that shows
/// them to the model as text.
pub(crate) fn append_arguments(out: &mut Vec<u8>, call: &ToolCall) {
    if call.arguments.trim().is_empty() {
        return out.extend_from_slice(b"{}");
    }
    let written = call.arguments.trim_matches([' ', '\t', '\n', '\r']);
    match is_object(written) {
        true => out.extend_from_slice(written.as_bytes()),
        false => write(out, &json!({"arguments": &*call.arguments})),
    }
}

/// Whether a text is an object that each server can read.
fn is_object(written: &str) -> bool {
    written.starts_with('{')
        && match is_plain(written) {
            true => serde_json::from_str::<IgnoredAny>(written).is_ok(),
            false => serde_json::from_str::<Value>(written).is_ok(),
        }
}

/// Objects and lists in a text that is certainly nested less than parsers allow.
const FEW: usize = 64;

/// Digits of a number that is certainly in the range of parsers.
const SHORT: usize = 300;

/// Whether the syntax of a text is all there is to check: it has few objects and lists, and
/// nothing that looks like an escape of a code unit or like a number that may be too large.
fn is_plain(written: &str) -> bool {
    let (mut opened, mut digits, mut before) = (0, 0, 0);
    for byte in written.bytes() {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        match byte {
            b'{' | b'[' => opened += 1,
            b'u' if before == b'\\' => return false,
            b'e' | b'E' if before.is_ascii_digit() => return false,
            _ if digits > SHORT => return false,
            _ => {}
        }
        before = byte;
    }
    opened <= FEW
}

#[cfg(test)]
mod tests;
