//! When a conversation is compacted, and how much of it is kept.

/// When a conversation is compacted, and how much of it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// Tokens of the model's window that stay free for the next answer.
    pub reserve: u64,
    /// The share of the window that may be used, in percent; it counts in place of `reserve`.
    pub share: Option<u8>,
    /// Tokens of the latest messages that are kept as they are.
    pub keep: u64,
}

impl Default for Policy {
    /// Compacts when fewer than 16,384 tokens are left, and keeps about 20,000.
    fn default() -> Self {
        Self { reserve: 16_384, share: None, keep: 20_000 }
    }
}

impl Policy {
    /// The default policy.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, with so many tokens of the window left free.
    #[must_use]
    pub const fn reserve(self, tokens: u64) -> Self {
        Self { reserve: tokens, share: None, ..self }
    }

    /// The same, with so many percent of the window used, from 10 to 95.
    #[must_use]
    pub fn share(self, percent: u8) -> Self {
        Self { share: Some(percent.clamp(10, 95)), ..self }
    }

    /// The same, with about so many tokens kept.
    #[must_use]
    pub const fn keep(self, tokens: u64) -> Self {
        Self { keep: tokens, ..self }
    }

    /// The tokens that a conversation may have with a window: at least half of it, so that a
    /// small window is not compacted at each step.
    pub fn most(&self, window: u64) -> u64 {
        match self.share {
            Some(percent) => window / 100 * u64::from(percent),
            None => window.saturating_sub(self.reserve).max(window / 2),
        }
    }

    /// Whether a conversation of so many tokens is to be compacted; never if the window of the
    /// model is not known.
    pub fn is_due(&self, tokens: u64, window: Option<u64>) -> bool {
        window.is_some_and(|window| tokens > self.most(window))
    }

    /// The tokens that are kept with a window: at most half of what it may have.
    pub fn kept(&self, window: Option<u64>) -> u64 {
        window.map_or(self.keep, |window| self.keep.min(self.most(window) / 2))
    }
}
