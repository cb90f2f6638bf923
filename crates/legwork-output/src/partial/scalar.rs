//! Numbers and literals, when all of their characters have arrived.

use serde_json::Number;

use crate::partial::parser::Syntax;
use crate::partial::{Kind, Value};

/// The longest word that an error repeats, in characters.
const SHOWN: usize = 40;

/// Whether a character can stand in a number.
pub(super) fn is_of_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E')
}

/// The number that characters mean.
pub(super) fn number(text: &str, syntax: Syntax) -> Result<Value, Kind> {
    let read = |text: &str| serde_json::from_str::<Number>(text).ok();
    let number = match syntax {
        Syntax::Strict => read(text),
        Syntax::Lenient => read(text).or_else(|| read(&mended(text))),
    };
    number.map(Value::Number).ok_or_else(|| Kind::Number(shown(text)))
}

/// A number as other languages write it, as JSON does: `+1`, `.5`, `5.`, `007`.
fn mended(text: &str) -> String {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.strip_suffix('.').unwrap_or(digits).trim_start_matches('0');
    let zero = if digits.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    format!("{sign}{zero}{digits}")
}

/// The value that a word means, as JSON, Python or JavaScript writes it.
pub(super) fn word(text: &str, syntax: Syntax) -> Result<Value, Kind> {
    let value = match (text, syntax) {
        ("null", _) => Value::Null,
        ("true", _) => Value::Bool(true),
        ("false", _) => Value::Bool(false),
        ("True" | "TRUE", Syntax::Lenient) => Value::Bool(true),
        ("False" | "FALSE", Syntax::Lenient) => Value::Bool(false),
        ("None" | "NULL" | "undefined" | "NaN" | "Infinity", Syntax::Lenient) => Value::Null,
        _ => return Err(Kind::Word(shown(text))),
    };
    Ok(value)
}

/// Whether a word can still become a literal of strict JSON.
pub(super) fn can_be_literal(text: &str) -> bool {
    ["null", "true", "false"].iter().any(|word| word.starts_with(text))
}

/// Whether a character can stand in a word of a lenient text.
pub(super) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.')
}

fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push_str("..");
    }
    shown
}
