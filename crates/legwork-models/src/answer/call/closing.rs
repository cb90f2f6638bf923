//! Whether growing arguments are complete, without reading them again each time.

use serde::de::IgnoredAny;

/// Bytes of the longest text without brackets that is parsed again each time.
const SCALAR: usize = 64;

/// Tracks the brackets of a text that only grows.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// Bytes that were read.
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
    /// Its outermost bracket is closed, and nothing follows it.
    Closed,
    /// It is valid JSON, as far as it was read.
    Whole,
    /// It can no longer become valid JSON.
    Broken,
}

impl Closing {
    /// Whether the text is valid JSON. Scalars are recognised only while they are short:
    /// arguments are objects.
    pub(super) fn is_whole(&mut self, text: &str) -> bool {
        let new = text.as_bytes().get(self.at..).unwrap_or_default();
        new.iter().for_each(|byte| self.read(*byte));
        self.at = text.len();
        if self.standing == Standing::Closed {
            // Once only: anything that follows makes it invalid.
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
