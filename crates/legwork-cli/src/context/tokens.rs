//! How many tokens a text takes.

use std::fmt;

/// Models of OpenAI whose tokens are those that are counted here.
const COUNTED: [&str; 7] = ["gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "o1", "o3", "o4"];

/// How close a count is to what the model will see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    /// The model's own tokens.
    Exact,
    /// Counted with another family's tokens.
    About,
}

/// A number of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) count: u64,
    pub(crate) precision: Precision,
}

impl Precision {
    /// For a model as `provider:name`.
    pub(crate) fn of(model: &str) -> Self {
        let known = |name: &str| COUNTED.iter().any(|known| is_of(name, known));
        match model.split_once(':') {
            Some(("openai", name)) if known(name) => Self::Exact,
            _ => Self::About,
        }
    }
}

/// Whether a name is a family's, or one of its dated or sized models.
fn is_of(name: &str, family: &str) -> bool {
    let rest = name.strip_prefix(family);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = crate::display::text::grouped(self.count);
        match self.precision {
            Precision::Exact => f.pad(&number),
            Precision::About => f.pad(&format!("≈ {number}")),
        }
    }
}

/// Counts the tokens of a text, as OpenAI's models since gpt-4o make them.
///
/// The first call makes the tables, which takes a noticeable part of a second.
pub(crate) fn count(text: &str) -> u64 {
    let tables = tiktoken_rs::o200k_base_singleton();
    tables.count_ordinary(text) as u64
}

#[cfg(test)]
mod tests;
