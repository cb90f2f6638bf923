//! The script of the server, encoded in the model's name.

use std::{fmt, str::FromStr, time::Duration};

use crate::error::Error;

/// The answers of the server for one model name.
///
/// `script-n20-k3-l50-t4000` is twenty answers, the first nineteen with three
/// tool calls each, every answer 50 ms late, the last one 4,000 tokens long.
/// A part that is missing is 1, the latency 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Script {
    /// Inferences of one execution; all but the last call tools.
    pub(crate) steps: usize,
    /// Tool calls per answer, except the last.
    pub(crate) calls: usize,
    /// How long the server waits before an answer.
    pub(crate) latency: Duration,
    /// Tokens of the last answer, five bytes each.
    pub(crate) tokens: usize,
}

/// The text of one token.
pub(crate) const TOKEN: &str = "word ";

impl Script {
    /// A script of `steps` steps with one tool call each.
    pub(crate) const fn steps(steps: usize) -> Self {
        Self { steps, calls: 1, latency: Duration::ZERO, tokens: 1 }
    }

    /// The same with `calls` calls per answer, except the last.
    pub(crate) const fn calls(self, calls: usize) -> Self {
        Self { calls, ..self }
    }

    /// The same with each answer late by `millis`.
    pub(crate) const fn latency(self, millis: u64) -> Self {
        Self { latency: Duration::from_millis(millis), ..self }
    }

    /// The same with a last answer of `tokens` tokens.
    pub(crate) const fn tokens(self, tokens: usize) -> Self {
        Self { tokens, ..self }
    }

    /// Tool calls that one execution makes.
    pub(crate) const fn total_calls(&self) -> usize {
        self.steps.saturating_sub(1) * self.calls
    }

    /// Whether the answer after `turn` earlier ones calls tools.
    pub(crate) const fn asks(&self, turn: usize) -> bool {
        turn + 1 < self.steps
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "script-n{}-k{}", self.steps, self.calls)?;
        write!(f, "-l{}-t{}", self.latency.as_millis(), self.tokens)
    }
}

impl FromStr for Script {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let wrong =
            |problem: &str| Error::Script { name: name.to_owned(), problem: problem.to_owned() };
        let mut parts = name.split('-');
        if parts.next() != Some("script") {
            return Err(wrong("it does not begin with `script`"));
        }
        let mut script = Self::steps(1);
        for part in parts {
            let mut letters = part.chars();
            let key = letters.next();
            let number: usize =
                letters.as_str().parse().map_err(|_| wrong("a letter lacks its number"))?;
            script = match key {
                Some('n') => Self { steps: number, ..script },
                Some('k') => script.calls(number),
                Some('l') => script.latency(number as u64),
                Some('t') => script.tokens(number),
                _ => return Err(wrong("its letters are n, k, l and t")),
            };
        }
        Ok(script)
    }
}

#[cfg(test)]
mod tests;
