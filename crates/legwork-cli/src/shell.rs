//! Text quoted for a shell.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::display::text::visible;

/// The text quoted as one word for a shell.
///
/// Characters that cannot be shown are written as bytes in `$'..'`, which bash, zsh, ksh and
/// POSIX 2024 read.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/:._-+=@%,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let shown =
        |c: char| !c.is_control() && visible(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8();
    if text.chars().all(shown) {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    let mut quoted = "$'".to_owned();
    for c in text.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            c if shown(c) => quoted.push(c),
            c => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    quoted.push_str(&format!("\\x{byte:02x}"));
                }
            }
        }
    }
    quoted + "'"
}

/// A path quoted as one word for a shell, with any bytes; control characters are
/// escaped.
pub(crate) fn quoted_path(path: &Path) -> String {
    if let Some(text) = path.to_str() {
        return quoted(text);
    }
    let escaped = |byte: &u8| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    };
    let word: String = path.as_os_str().as_bytes().iter().map(escaped).collect();
    format!("$'{word}'")
}

#[cfg(test)]
mod tests;
