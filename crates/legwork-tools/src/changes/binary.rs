//! A patch of a binary file, as `git apply --binary` reads it: both contents, whole.

use std::fmt::Write as _;

use miniz_oxide::deflate::compress_to_vec_zlib;
use sha1_smol::Sha1;

/// The digits of base 85, as git has them.
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/// Bytes in a line.
const LINE: usize = 52;
/// How hard it is compressed, from 0 to 10.
const LEVEL: u8 = 6;
/// The name of a file that is not there.
const NOTHING: &str = "0000000000000000000000000000000000000000";

/// The line that names what was there and what is: git refuses a binary patch without it.
pub(super) fn index(old: Option<&[u8]>, new: Option<&[u8]>) -> String {
    let id = |content: Option<&[u8]>| content.map_or_else(|| NOTHING.to_owned(), blob);
    format!("index {}..{}\n", id(old), id(new))
}

/// The body: what leads there, and what leads back.
pub(super) fn body(old: &[u8], new: &[u8]) -> String {
    format!("GIT binary patch\n{}\n{}\n", literal(new), literal(old))
}

/// The name that git gives to a content.
fn blob(content: &[u8]) -> String {
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", content.len()).as_bytes());
    hash.update(content);
    hash.digest().to_string()
}

fn literal(content: &[u8]) -> String {
    let mut text = format!("literal {}\n", content.len());
    for line in compress_to_vec_zlib(content, LEVEL).chunks(LINE) {
        let _ = writeln!(text, "{}{}", length(line.len()), base85(line));
    }
    text
}

/// How many bytes a line has: A to Z are 1 to 26, a to z are 27 to 52.
fn length(bytes: usize) -> char {
    let bytes = u8::try_from(bytes).unwrap_or(0);
    let letter = match bytes {
        27.. => bytes.saturating_sub(27).saturating_add(b'a'),
        _ => bytes.saturating_sub(1).saturating_add(b'A'),
    };
    letter.into()
}

/// Four bytes in five digits; what lacks at the end counts as zero.
fn base85(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len().div_ceil(4) * 5);
    for group in line.chunks(4) {
        let byte = |at: usize| group.get(at).copied().unwrap_or_default();
        let mut number = u32::from_be_bytes([byte(0), byte(1), byte(2), byte(3)]);
        let mut digits = ['0'; 5];
        for digit in digits.iter_mut().rev() {
            let value = DIGITS.get((number % 85) as usize).copied().unwrap_or_default();
            (*digit, number) = (value.into(), number / 85);
        }
        text.extend(digits);
    }
    text
}
