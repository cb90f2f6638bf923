//! The price of tokens.

use serde::{Deserialize, Serialize};

use crate::budget::MicroUsd;
use crate::inference::Usage;

/// The price of a million tokens of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// Input tokens that are neither read from nor written to a cache.
    pub input: MicroUsd,
    /// Input tokens read from a cache.
    pub cache_read: MicroUsd,
    /// Input tokens written to a cache.
    pub cache_write: MicroUsd,
    /// Output tokens, reasoning included.
    pub output: MicroUsd,
}

/// A price with its model, its source and the date it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceEntry {
    /// The model as `provider:name`.
    pub model: String,
    /// The price of a million tokens.
    pub price: Price,
    /// Where the price was read.
    pub source: String,
    /// When it was read, as `YYYY-MM-DD`.
    pub date: String,
}

impl Price {
    /// The cost of a usage, rounded up to a millionth of a dollar.
    pub fn cost(&self, usage: &Usage) -> MicroUsd {
        let cached = usage.cache_read.saturating_add(usage.cache_write);
        let plain = usage.input.saturating_sub(cached);
        let sum = part(plain, self.input)
            .saturating_add(part(usage.cache_read, self.cache_read))
            .saturating_add(part(usage.cache_write, self.cache_write))
            .saturating_add(part(usage.output, self.output));
        MicroUsd(u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX))
    }

    /// How many output tokens an amount of money buys after paying for the input.
    pub fn output_for(&self, money: MicroUsd, input: u64) -> u64 {
        if self.output.0 == 0 {
            return u64::MAX;
        }
        let left = part(1_000_000, money).saturating_sub(part(input, self.input));
        u64::try_from(left / u128::from(self.output.0)).unwrap_or(u64::MAX)
    }
}

fn part(tokens: u64, price: MicroUsd) -> u128 {
    u128::from(tokens) * u128::from(price.0)
}
