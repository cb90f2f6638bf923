//! Bytes as text, by the character set that they are in.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use super::kind::Kind;

/// Bytes in which a page may name its character set (HTML, section 13.2.3.2).
const NAMED_IN: usize = 1_024;

/// The text; what its character set does not have becomes U+FFFD.
///
/// A byte-order mark counts first, then what the server names, then what the page names; else it
/// is UTF-8, or Windows-1252 where it is no UTF-8.
pub(super) fn decoded<'b>(kind: &Kind, bytes: &'b [u8]) -> Cow<'b, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let rest = bytes.get(mark..).unwrap_or_default();
        return encoding.decode_without_bom_handling(rest).0;
    }
    let of_server = Encoding::for_label(kind.charset.as_bytes());
    let named = of_server.or_else(|| of_page(kind, bytes));
    let encoding = named.unwrap_or_else(|| match is_utf8(bytes) {
        true => UTF_8,
        false => WINDOWS_1252,
    });
    encoding.decode_without_bom_handling(bytes).0
}

/// Whether it is UTF-8; the last of its characters beyond ASCII may be cut.
fn is_utf8(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => {
            let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
            error.error_len().is_none() && !whole.is_ascii()
        }
    }
}

/// The character set that HTML or XML names in itself.
fn of_page(kind: &Kind, bytes: &[u8]) -> Option<&'static Encoding> {
    let first = bytes.get(..NAMED_IN).unwrap_or(bytes);
    let first = String::from_utf8_lossy(first).to_ascii_lowercase();
    let label = match kind.is_html() {
        true => first.match_indices("<meta").find_map(|(at, _)| {
            let tag = first.get(at..)?.split('>').next()?;
            value(tag, "charset")
        }),
        false => {
            let declared = first.strip_prefix("<?xml")?.split("?>").next()?;
            value(declared, "encoding")
        }
    };
    let encoding = Encoding::for_label(label?.as_bytes())?;
    // A page that was read as ASCII so far is in no encoding of two bytes.
    Some(if encoding.is_ascii_compatible() { encoding } else { UTF_8 })
}

/// The value behind a name and `=`.
fn value(text: &str, name: &str) -> Option<String> {
    let (_, rest) = text.split_once(name)?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let rest = rest.trim_start_matches(['"', '\'']);
    let end = rest.find(['"', '\'', ';', ' ', '/', '>']).unwrap_or(rest.len());
    rest.get(..end).map(str::to_owned)
}
