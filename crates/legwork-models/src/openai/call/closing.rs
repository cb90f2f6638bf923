//! Whether arguments that grow are whole, without reading them again each time.

use serde::de::IgnoredAny;

/// Bytes of a text without brackets that is looked at anew each time.
const SCALAR: usize = 64;

/// Follows the brackets of a text that only grows.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// Bytes that were looked at.
    at: usize,
    depth: usize,
    within: Within,
    standing: Standing,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Within {
    #[default]
    Value,
    Text,
    Escape,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Standing {
    #[default]
    Open,
    /// Its outermost bracket was closed, and nothing came behind.
    Closed,
    /// It is JSON from beginning to end, as far as it was looked at.
    Whole,
    /// It can become whole no more.
    Broken,
}

impl Closing {
    /// Whether the text is JSON from beginning to end. Scalars are so only while they are short:
    /// arguments are objects.
    pub(super) fn is_whole(&mut self, text: &str) -> bool {
        let new = text.as_bytes().get(self.at..).unwrap_or_default();
        new.iter().for_each(|byte| self.read(*byte));
        self.at = text.len();
        if self.standing == Standing::Closed {
            // Once: what comes behind it breaks it.
            self.standing = if is_json(text) { Standing::Whole } else { Standing::Broken };
        }
        let scalar = self.standing == Standing::Open && self.depth == 0 && text.len() <= SCALAR;
        self.standing == Standing::Whole || (scalar && is_json(text))
    }

    fn read(&mut self, byte: u8) {
        self.within = match (self.within, byte) {
            (Within::Escape, _) => Within::Text,
            (Within::Text, b'\\') => Within::Escape,
            (Within::Text, b'"') => Within::Value,
            (Within::Text, _) => Within::Text,
            (Within::Value, byte) => return self.read_value(byte),
        };
    }

    fn read_value(&mut self, byte: u8) {
        match (self.standing, byte) {
            (_, b' ' | b'\n' | b'\r' | b'\t') | (Standing::Broken, _) => {}
            (Standing::Closed | Standing::Whole, _) => self.standing = Standing::Broken,
            (Standing::Open, b'"') => self.within = Within::Text,
            (Standing::Open, b'{' | b'[') => self.depth += 1,
            (Standing::Open, b'}' | b']') => match self.depth {
                0 => self.standing = Standing::Broken,
                1 => (self.depth, self.standing) = (0, Standing::Closed),
                _ => self.depth -= 1,
            },
            (Standing::Open, _) => {}
        }
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests;
