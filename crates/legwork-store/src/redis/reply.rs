//! The answers of scripts: a word, then what belongs to it.

use redis::{FromRedisValue, Value};

/// What a script answered.
#[derive(Debug)]
pub(super) struct Reply {
    word: String,
    rest: Vec<Value>,
}

impl Reply {
    /// Reads an answer; none if no script of ours gives it.
    pub(super) fn read(value: Value) -> Option<Self> {
        let Value::Array(mut values) = value else { return None };
        if values.is_empty() {
            return None;
        }
        let word = read(values.remove(0))?;
        Some(Self { word, rest: values })
    }

    pub(super) fn word(&self) -> &str {
        &self.word
    }

    /// The value at a position after the word.
    pub(super) fn get<T: FromRedisValue>(&self, at: usize) -> Option<T> {
        self.rest.get(at).cloned().and_then(read)
    }
}

/// A value as what it is expected to be.
pub(super) fn read<T: FromRedisValue>(value: Value) -> Option<T> {
    redis::from_redis_value(value).ok()
}
