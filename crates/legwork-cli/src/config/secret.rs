//! A key that nothing shows.

use std::fmt;

/// A key that nothing shows; its memory is overwritten when it goes.
pub(crate) struct Secret(String);

/// Why a text is no key; never the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Problem {
    #[error("it is empty")]
    Empty,
    #[error("it has more than one line")]
    Lines,
    #[error("it has a space, or a character that HTTP forbids, in it")]
    Characters,
}

impl Secret {
    /// The text without white space around it, if it can be a key.
    pub(crate) fn of(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Problem::Empty);
        }
        if text.contains(['\n', '\r']) {
            return Err(Problem::Lines);
        }
        if !text.chars().all(|c| c.is_ascii_graphic()) {
            return Err(Problem::Characters);
        }
        Ok(Self(text.to_owned()))
    }

    /// The key itself, for the one who sends it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        let mut bytes = std::mem::take(&mut self.0).into_bytes();
        bytes.fill(0);
        // Else the compiler may see that nobody reads the zeros.
        std::hint::black_box(&bytes);
    }
}

#[cfg(test)]
mod tests;
