//! Where strings and values end, for texts that hold nothing rare.
//!
//! These look at several bytes at once and build nothing. What they do not know, such as escapes
//! by number or exponents, they leave to `serde_json`, so that they accept a part of what it does.

use super::Controls;

/// Bytes in which the end of a string is mostly found: most are names and short words, for which
/// a search that begins with a call takes longer.
const NEAR: usize = 32;

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGHEST_BITS: u64 = u64::from_le_bytes([0x80; 8]);

/// The place of the first quote or backslash.
#[inline]
pub(super) fn special(bytes: &[u8]) -> Option<usize> {
    if let Some(place) = near(bytes) {
        return Some(place);
    }
    let near = if bytes.len() < NEAR { 0 } else { NEAR };
    let place = memchr::memchr2(b'"', b'\\', bytes.get(near..)?)?;
    Some(near + place)
}

/// The place of the first quote or backslash, if it is near.
#[inline]
pub(super) fn near(bytes: &[u8]) -> Option<usize> {
    let near: &[u8; NEAR] = bytes.first_chunk()?;
    for (number, word) in near.as_chunks().0.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let found =
            zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\\')));
        if found != 0 {
            return Some(number * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    None
}

/// The highest bit of the first byte that is zero, and of none before it.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHEST_BITS
}

/// The string behind a quote, without its escapes, and the length of its source with the quote
/// at its end.
pub(super) fn unescaped(text: &str, controls: Controls) -> Option<(String, usize)> {
    let (mut string, mut at) = (String::new(), 0);
    loop {
        let rest = text.get(at..)?;
        let length = special(rest.as_bytes())?;
        let plain = rest.get(..length).filter(|plain| controls.allow(plain.as_bytes()))?;
        string.push_str(plain);
        at += length + 1;
        if rest.as_bytes().get(length) == Some(&b'"') {
            return Some((string, at));
        }
        string.push(match text.as_bytes().get(at)? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            byte @ (b'"' | b'\\' | b'/') => char::from(*byte),
            _ => return None,
        });
        at += 1;
    }
}

/// The length of the value that begins a text.
#[inline]
pub(super) fn length(bytes: &[u8], controls: Controls) -> Option<usize> {
    match bytes.first()? {
        b'{' | b'[' => nested(bytes, controls),
        b'"' => string(bytes, 1, controls),
        _ => scalar(bytes, 0),
    }
}

/// The length of an object or an array.
fn nested(bytes: &[u8], controls: Controls) -> Option<usize> {
    let (mut at, mut inside) = (0, Inside::default());
    loop {
        at = space(bytes, at);
        at = match (bytes.get(at)?, bytes.get(at + 1)) {
            (b'{', Some(b'}')) | (b'[', Some(b']')) => at + 2,
            (b'{', _) => {
                inside.enter(Kind::Object)?;
                at = key(bytes, at + 1, controls)?;
                continue;
            }
            (b'[', _) => {
                inside.enter(Kind::Array)?;
                at += 1;
                continue;
            }
            (b'"', _) => string(bytes, at + 1, controls)?,
            _ => scalar(bytes, at)?,
        };
        loop {
            let Some(kind) = inside.innermost() else { return Some(at) };
            at = space(bytes, at);
            at = match (bytes.get(at)?, kind) {
                (b'}', Kind::Object) | (b']', Kind::Array) => at + 1,
                (b',', Kind::Object) => {
                    at = key(bytes, at + 1, controls)?;
                    break;
                }
                (b',', Kind::Array) => {
                    at += 1;
                    break;
                }
                _ => return None,
            };
            inside.leave();
        }
    }
}

/// The objects and arrays that a place is in.
#[derive(Default)]
struct Inside {
    /// A bit for each, the innermost lowest: set for an object.
    kinds: u64,
    depth: u32,
}

#[derive(Clone, Copy)]
enum Kind {
    Object,
    Array,
}

impl Inside {
    fn enter(&mut self, kind: Kind) -> Option<()> {
        self.kinds = (self.kinds << 1) | u64::from(matches!(kind, Kind::Object));
        self.depth += 1;
        (self.depth < u64::BITS).then_some(())
    }

    fn leave(&mut self) {
        self.kinds >>= 1;
        self.depth -= 1;
    }

    fn innermost(&self) -> Option<Kind> {
        let kind = if self.kinds & 1 == 1 { Kind::Object } else { Kind::Array };
        (self.depth > 0).then_some(kind)
    }
}

/// Behind white space.
fn space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Behind a key and its colon.
fn key(bytes: &[u8], at: usize, controls: Controls) -> Option<usize> {
    let at = space(bytes, at);
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let at = space(bytes, string(bytes, at + 1, controls)?);
    (bytes.get(at) == Some(&b':')).then_some(at + 1)
}

/// Behind a string, of which the quote before it was read.
fn string(bytes: &[u8], mut at: usize, controls: Controls) -> Option<usize> {
    loop {
        let rest = bytes.get(at..)?;
        let length = special(rest)?;
        if !controls.allow(rest.get(..length)?) {
            return None;
        }
        at += length + 1;
        if rest.get(length) == Some(&b'"') {
            return Some(at);
        }
        if !matches!(rest.get(length + 1)?, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
        {
            return None;
        }
        at += 1;
    }
}

/// Behind a constant or a number.
fn scalar(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let constant: &[u8] = match rest.first()? {
        b'n' => b"null",
        b't' => b"true",
        b'f' => b"false",
        _ => return number(rest).map(|length| at + length),
    };
    rest.starts_with(constant).then_some(at + constant.len())
}

/// The length of a number without an exponent.
fn number(bytes: &[u8]) -> Option<usize> {
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let whole = digits(bytes, sign);
    if whole == sign || (whole > sign + 1 && bytes.get(sign) == Some(&b'0')) {
        return None;
    }
    let end = match bytes.get(whole) {
        Some(b'.') => Some(digits(bytes, whole + 1)).filter(|end| *end > whole + 1)?,
        _ => whole,
    };
    (!matches!(bytes.get(end), Some(b'e' | b'E'))).then_some(end)
}

/// Behind digits.
fn digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}
