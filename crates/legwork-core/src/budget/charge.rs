//! What an inference is charged, and which part of that is an estimate.

use crate::budget::{Amounts, Ledger, Price};
use crate::inference::{Incomplete, LEAST_BYTES_PER_TOKEN, Response, Usage};

/// Bytes that a token of output has at the most, on the average of an answer: a stream
/// is cut only when even so it passed its reserve.
pub const BYTES_PER_OUTPUT_TOKEN: u64 = 8;

/// The attempt that was under way when a run left an inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftAttempt {
    /// None: the inference waited for its next attempt.
    None,
    /// One of whose answer so many bytes were received.
    Streamed(u64),
    /// One whose answer is not streamed.
    Whole,
}

impl Ledger {
    /// What is held for the inference under way; nothing if none is.
    pub fn held(&self) -> Amounts {
        self.inference().map_or_else(Amounts::default, |held| held.amounts)
    }

    /// What is held for the inference under way that is no step; nothing if none is.
    ///
    /// As an estimate ([`Amounts::as_estimate`]) it is what one that broke off is charged.
    pub fn held_for_auxiliary(&self) -> Amounts {
        self.auxiliary().map_or_else(Amounts::default, |held| held.amounts)
    }
}

impl Amounts {
    /// What a response is charged for which this is held: its usage, or what was counted if it does
    /// not say, that of the answers that were discarded before it, and what was held once more for
    /// each failed attempt that may have cost.
    #[must_use]
    pub fn for_response(&self, response: &Response, price: Option<&Price>) -> Self {
        let bytes = response.message.weight().max(response.came);
        let real = match (&response.usage, &response.incomplete) {
            // What was said of a stream before we cut it is not all that it used; what is kept
            // of an answer that passed a bound is not all that came.
            (_, Some(Incomplete::OverReserve)) | (None, Some(Incomplete::OverBound)) => {
                let output = self.output.max(bytes / BYTES_PER_OUTPUT_TOKEN);
                estimate(self.input, output, price)
            }
            (Some(usage), _) => Self::of_usage(usage, price),
            (None, _) => counted(self, bytes, price),
        };
        let discarded = response.discarded.iter().map(Self::of_discarded);
        let failed = self.for_attempts(response.charged_attempts);
        discarded.fold(real.plus(&failed), |sum, one| sum.plus(&one))
    }

    /// What an inference is charged that a run left, for which this is held: what was received of
    /// the answer, or all if it was not streamed, nothing between two attempts; and what was held
    /// once more for each failed attempt that may have cost.
    #[must_use]
    pub fn for_left(&self, left: LeftAttempt, attempts: u32, price: Option<&Price>) -> Self {
        let left = match left {
            LeftAttempt::None => Self::default(),
            LeftAttempt::Streamed(bytes) => counted(self, bytes, price),
            LeftAttempt::Whole => self.as_estimate(),
        };
        left.plus(&self.for_attempts(attempts))
    }

    /// What was held, as an estimate, for each of some attempts.
    #[must_use]
    pub fn for_attempts(&self, attempts: u32) -> Self {
        (0..attempts).fold(Self::default(), |sum, _| sum.plus(&self.as_estimate()))
    }
}

/// The input as estimated, and so many bytes of an answer in tokens: no more than it may
/// have, where it was told how much that is.
fn counted(held: &Amounts, bytes: u64, price: Option<&Price>) -> Amounts {
    let output = bytes.div_ceil(LEAST_BYTES_PER_TOKEN);
    let most = Some(held.output).filter(|most| *most > 0);
    estimate(held.input, most.map_or(output, |most| output.min(most)), price)
}

fn estimate(input: u64, output: u64, price: Option<&Price>) -> Amounts {
    Amounts::of_usage(&Usage { input, output, ..Usage::default() }, price).as_estimate()
}
