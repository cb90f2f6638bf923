//! Names in paths.

use std::fmt::Write as _;

/// A name as one segment of a path: whatever could end the segment, or mean something else in a
/// path, is encoded.
pub(crate) fn segment(name: &str) -> String {
    let mut segment = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                segment.push(char::from(byte));
            }
            // Writing to a string does not fail.
            _ => drop(write!(segment, "%{byte:02X}")),
        }
    }
    segment
}
