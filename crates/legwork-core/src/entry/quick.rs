//! Decodes a line in one pass, if this version wrote it.

use super::{Entry, FORMAT};
use crate::event::Event;
use crate::id::Seq;
use crate::time::Timestamp;

/// Decodes a line as this version writes it, byte for byte up to the body, so that the type is
/// known before the body and only that is parsed. None for any other line, which may still be
/// valid.
pub(super) fn read(line: &[u8]) -> Option<Entry> {
    let line = str::from_utf8(line).ok()?;
    let (version, line) = number(line, "{\"v\":")?;
    if version != u64::from(FORMAT) {
        return None;
    }
    let (seq, line) = number(line, ",\"seq\":")?;
    let (parent, line) = number(line, ",\"parent\":")?;
    let (at, line) = number(line, ",\"at\":")?;
    let (kind, line) = line.strip_prefix(",\"type\":\"")?.split_once('"')?;
    let body = line.strip_prefix(",\"body\":")?.strip_suffix('}')?;
    if !body.starts_with('{') {
        return None;
    }
    let mut json = serde_json::Deserializer::from_str(body);
    // A type that is written with an escape is none of those that are known.
    let event = Event::deserialize_body(kind, &mut json)?.ok()?;
    json.end().ok()?;
    Some(Entry { seq: Seq(seq), parent: Seq(parent), at: Timestamp(at), event })
}

/// The number in a line that begins with `before`, and the rest of the line.
fn number<'l>(line: &'l str, before: &str) -> Option<(u64, &'l str)> {
    let line = line.strip_prefix(before)?;
    let (mut number, mut length) = (0_u64, 0);
    for digit in line.bytes().take_while(u8::is_ascii_digit) {
        number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        length += 1;
    }
    // As JSON has it, a number begins with a zero only if that is all of it.
    let is_json = length == 1 || (length > 1 && !line.starts_with('0'));
    Some((number, line.get(length..).filter(|_| is_json)?))
}
