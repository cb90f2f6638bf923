//! What looks like a secret is not shown.

use serde_json::{Map, Value};

/// What stands where a secret would.
const HIDDEN: &str = "hidden";

/// Words in a name of which the value is a secret.
const WORDS: [&str; 18] = [
    "key",
    "keys",
    "apikey",
    "secret",
    "secrets",
    "token",
    "tokens",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
    "authorization",
    "auth",
    "bearer",
    "cookie",
    "signature",
    "private",
];

/// How values begin that are secrets whatever they are called.
const BEGINNINGS: [&str; 7] = ["sk-", "Bearer ", "Basic ", "ghp_", "AKIA", "eyJ", "-----BEGIN"];

/// The same fields, with those hidden that look like secrets by their name or value, at any
/// depth. Numbers are none: a limit on tokens is shown.
pub(super) fn hide(fields: &Map<String, Value>) -> Map<String, Value> {
    let shown = |(name, value): (&String, &Value)| {
        let value = if is_secret(name) { hidden(value) } else { inside(value) };
        (name.clone(), value)
    };
    fields.iter().map(shown).collect()
}

fn inside(value: &Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(hide(fields)),
        Value::Array(items) => Value::Array(items.iter().map(inside).collect()),
        Value::String(text) if gives_away(text) => HIDDEN.into(),
        other => other.clone(),
    }
}

fn hidden(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        _ => HIDDEN.into(),
    }
}

/// Whether a text begins like a key, or is an address with a password in it.
fn gives_away(text: &str) -> bool {
    let begins = BEGINNINGS.iter().any(|beginning| text.trim_start().starts_with(beginning));
    let host = text.split_once("://").map(|(_, rest)| rest.split('/').next().unwrap_or(rest));
    begins || host.is_some_and(|host| host.contains('@'))
}

/// Whether a name says that its value is a secret: `apiKey`, `x-auth-token`, `API_SECRET`.
fn is_secret(name: &str) -> bool {
    let whole: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    if WORDS.contains(&whole.to_ascii_lowercase().as_str()) {
        return true;
    }
    words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// The words of a name, at its punctuation and where a capital follows a small letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (small && letter.is_uppercase()) {
            words.push(String::new());
        }
        small = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests;
