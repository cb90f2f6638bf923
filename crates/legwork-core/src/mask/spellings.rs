//! The spellings of a secret.

use std::ops::Range;

use memchr::memmem::Finder;

/// A spelling of a secret.
#[derive(Clone)]
pub(super) struct Spelling {
    finder: Finder<'static>,
    text: Box<str>,
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_OF_URLS: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// All spellings of a secret.
pub(super) fn of(secret: &str) -> Vec<Spelling> {
    let escaped = escaped(secret);
    let mut all = vec![secret.to_owned(), self::escaped(&escaped), escaped];
    all.push(in_url(secret, |byte| format!("%{byte:02X}")));
    all.push(in_url(secret, |byte| format!("%{byte:02x}")));
    for alphabet in [BASE64, BASE64_OF_URLS] {
        all.extend((0..3).map(|before| base64(secret.as_bytes(), before, alphabet)));
    }
    all.into_iter().map(Spelling::new).collect()
}

/// Escaped, as in a JSON string.
fn escaped(secret: &str) -> String {
    let json = serde_json::Value::from(secret).to_string();
    json.get(1..json.len() - 1).unwrap_or_default().to_owned()
}

/// Percent-encoded, as in a URL.
fn in_url(secret: &str, percent: impl Fn(u8) -> String) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let each = secret.bytes().map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => percent(byte),
    });
    each.collect()
}

/// As in the Base64 of a longer text, at an offset in a group of three bytes.
///
/// Without the characters at both ends that also depend on the surrounding bytes.
fn base64(secret: &[u8], before: usize, alphabet: &[u8; 64]) -> String {
    let bit = |at: usize| {
        let byte = at / 8;
        let byte = byte.checked_sub(before).and_then(|at| secret.get(at)).copied().unwrap_or(0);
        usize::from(byte >> (7 - at % 8) & 1)
    };
    let (first, end) = ((before * 8).div_ceil(6), (before + secret.len()) * 8 / 6);
    let sextet = |at: usize| (at * 6..at * 6 + 6).fold(0, |bits, at| bits << 1 | bit(at));
    let letters = (first..end).map(sextet);
    letters.filter_map(|sextet| alphabet.get(sextet)).map(|letter| char::from(*letter)).collect()
}

impl Spelling {
    fn new(text: String) -> Self {
        Self { finder: Finder::new(&text).into_owned(), text: text.into() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        text.len() >= self.text.len() && self.finder.find(text.as_bytes()).is_some()
    }

    pub(super) fn places<'s>(&'s self, text: &'s str) -> impl Iterator<Item = Range<usize>> + 's {
        let length = self.text.len();
        self.finder.find_iter(text.as_bytes()).map(move |at| at..at + length)
    }

    /// The start of the longest suffix of a text that is a prefix of the spelling.
    pub(super) fn open_end(&self, text: &str) -> usize {
        let tail = text.len().saturating_sub(self.text.len() - 1);
        let bytes = text.as_bytes().get(tail..).unwrap_or_default();
        let Some(first) = self.text.as_bytes().first() else { return text.len() };
        let mut starts = memchr::memchr_iter(*first, bytes);
        let is_open =
            |at: &usize| self.text.as_bytes().starts_with(bytes.get(*at..).unwrap_or(bytes));
        starts.find(is_open).map_or(text.len(), |at| tail + at)
    }
}
