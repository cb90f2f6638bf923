//! What may be kept, and what is not the model's.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// What keys begin with that capabilities keep.
const RESERVED: &str = "legwork.";
/// How many levels of objects and arrays a value has at most.
const DEEPEST: usize = 16;

/// How much may be kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Keys.
    pub(super) keys: usize,
    /// Characters of a key.
    pub(super) key_length: usize,
    /// Bytes of a value, as JSON.
    pub(super) value_bytes: usize,
    /// Bytes of all keys and values, as JSON.
    pub(super) total_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { keys: 50, key_length: 64, value_bytes: 4 << 10, total_bytes: 32 << 10 }
    }
}

/// What a model may do with metadata.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) limits: Limits,
    pub(super) protected: BTreeSet<String>,
    pub(super) readable: BTreeSet<String>,
}

impl Rules {
    fn is_protected(&self, key: &str) -> bool {
        key.starts_with(RESERVED) || self.protected.contains(key)
    }

    /// Whether the model is shown a key.
    pub(super) fn shows(&self, key: &str) -> bool {
        self.readable.contains(key) || !self.is_protected(key)
    }

    /// Whether the model may change a key.
    ///
    /// # Errors
    /// Why not, in words for the model.
    pub(super) fn may_change(&self, key: &str) -> Result<(), String> {
        match self.is_protected(key) || self.readable.contains(key) {
            true => Err(format!("The key `{}` is protected: use another one.", shortened(key))),
            false => Ok(()),
        }
    }

    /// Whether a value may be put under a key, beside what is kept.
    ///
    /// # Errors
    /// What does not fit and what to do, in words for the model.
    pub(super) fn may_write(
        &self,
        kept: &BTreeMap<String, Value>,
        key: &str,
        value: &Value,
    ) -> Result<(), String> {
        self.fits_key(key)?;
        self.may_change(key)?;
        if is_deeper(value, DEEPEST) {
            return Err(format!(
                "The value is nested deeper than {DEEPEST} levels: keep it flat, or as a text."
            ));
        }
        let Limits { keys, value_bytes, total_bytes, .. } = self.limits;
        let size = size(value);
        if size > value_bytes {
            return Err(format!(
                "The value has {size} bytes as JSON, and {value_bytes} fit: keep a shorter one, or \
                 where the whole is found."
            ));
        }
        let others = || kept.iter().filter(|(known, _)| *known != key && !self.is_protected(known));
        let count = others().count() + 1;
        if count > keys {
            return Err(format!(
                "There would be {count} keys, and {keys} fit: remove those that are no longer needed."
            ));
        }
        let total = others().map(|(key, value)| key.len() + self::size(value)).sum::<usize>();
        let total = total + key.len() + size;
        if total > total_bytes {
            return Err(format!(
                "There would be {total} bytes in all, and {total_bytes} fit: remove what is no \
                 longer needed."
            ));
        }
        Ok(())
    }

    fn fits_key(&self, key: &str) -> Result<(), String> {
        let (length, most) = (key.chars().count(), self.limits.key_length);
        if length == 0 || length > most {
            return Err(format!("A key has 1 to {most} characters, not {length}."));
        }
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
        match key.chars().all(fits) {
            true => Ok(()),
            false => Err("A key is made of letters a to z, digits, `_`, `-` and `.`.".to_owned()),
        }
    }
}

/// How many bytes a value has as JSON.
pub(super) fn size(value: &Value) -> usize {
    value.to_string().len()
}

/// The beginning of a key that may be of any length.
pub(super) fn shortened(key: &str) -> String {
    key.chars().take(80).filter(|letter| !letter.is_control()).collect()
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    let Some(left) = levels.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper(item, left)),
        Value::Object(map) => map.values().any(|item| is_deeper(item, left)),
        _ => false,
    }
}
