//! The path of a base URL, as programs read it.

use std::fmt::Write as _;

/// Reads a path: `.` and `..` are followed, in each of their spellings, and what no path may
/// contain is encoded.
pub(super) fn read(path: &str) -> String {
    let mut segments = Vec::new();
    for segment in path.split('/').skip(1) {
        match segment.to_ascii_lowercase().replace("%2e", ".").as_str() {
            "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    let mut read = String::new();
    for segment in segments {
        read.push('/');
        segment.bytes().for_each(|byte| encode(byte, &mut read));
    }
    read
}

fn encode(byte: u8, path: &mut String) {
    if byte.is_ascii_graphic() && !b"\"<>^`{}".contains(&byte) {
        path.push(char::from(byte));
        return;
    }
    // Writing to a string does not fail.
    let _ = write!(path, "%{byte:02X}");
}
