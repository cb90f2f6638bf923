//! Names of sessions as names of files.
//!
//! A file name has lower-case ASCII letters, digits, `-`, `_` and `.`; each other byte is written
//! as `%` and two hexadecimal digits. So no two names are the same where a file system ignores
//! case or normalises letters, and none leads out of its folder. A name that would be too long is
//! cut and ends with `~` and the digest of the whole; its folder has the name in a file.

use legwork_core::{Digest, SessionId};

/// The maximum length of a name that is written out, in bytes.
const LONGEST: usize = 180;

/// The length of the readable beginning of a name that is not written out.
const BEGINNING: usize = 100;

/// Names that Windows gives to devices, also with an extension.
const DEVICES: [&str; 6] = ["aux", "con", "nul", "prn", "com", "lpt"];

/// The name of a session's folder.
pub(super) fn of(session: &SessionId) -> String {
    let id = session.as_str();
    let name = written_out(id);
    if name.len() <= LONGEST {
        return name;
    }
    let mut beginning = String::new();
    for byte in id.bytes() {
        if beginning.len() >= BEGINNING {
            break;
        }
        push(&mut beginning, byte, false);
    }
    format!("{beginning}~{}", Digest::of_bytes(id.as_bytes()))
}

/// The session whose folder has a name; none if the name alone does not say it.
pub(super) fn session(name: &str) -> Option<SessionId> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => hex(rest.next()?)? << 4 | hex(rest.next()?)?,
            byte => byte,
        });
    }
    let session = SessionId::from(String::from_utf8(bytes).ok()?);
    // Another spelling of a name is no name that this module makes.
    (of(&session) == name).then_some(session)
}

fn written_out(id: &str) -> String {
    let device = id.split('.').next().is_some_and(is_device);
    let mut name = String::with_capacity(id.len());
    for (at, byte) in id.bytes().enumerate() {
        let edge = at == 0 || at + 1 == id.len();
        push(&mut name, byte, (edge && byte == b'.') || (at == 0 && device));
    }
    name
}

fn is_device(stem: &str) -> bool {
    let (word, number) = stem.split_at_checked(3).unwrap_or((stem, ""));
    DEVICES.contains(&word) && number.len() <= 1
}

fn push(name: &mut String, byte: u8, escaped: bool) {
    let plain = matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.');
    if plain && !escaped {
        name.push(char::from(byte));
    } else {
        name.push('%');
        for nibble in [byte >> 4, byte & 15] {
            name.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
        }
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests;
