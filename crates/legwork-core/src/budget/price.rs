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
    /// Input tokens written to a cache that keeps them as long as it does by default.
    pub cache_write: MicroUsd,
    /// Input tokens written to a cache that keeps them for an hour; none = as `cache_write`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_hour: Option<MicroUsd>,
    /// Output tokens, reasoning included.
    pub output: MicroUsd,
}

/// What the tokens of a model cost: its price, and where that changes.
///
/// Of a request whose input is longer than a tier begins, all tokens cost what the tier says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Prices {
    /// The price of a request whose input is in no tier.
    pub usual: Price,
    /// Other prices of requests with long inputs, those of the shortest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<PriceTier>,
}

/// The price of requests with long inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceTier {
    /// Input tokens that a request has more of, those of caches included.
    pub above: u64,
    /// What its tokens cost, all of them.
    pub price: Price,
}

impl Prices {
    /// One price, whatever is sent.
    pub fn flat(price: Price) -> Self {
        Self { usual: price, tiers: Vec::new() }
    }

    /// The same with another price for inputs of more tokens than these.
    #[must_use]
    pub fn above(mut self, tokens: u64, price: Price) -> Self {
        self.tiers.retain(|tier| tier.above != tokens);
        self.tiers.push(PriceTier { above: tokens, price });
        self.tiers.sort_by_key(|tier| tier.above);
        self
    }

    /// The price of a request with so many input tokens, those of caches included.
    pub fn at(&self, input: u64) -> Price {
        let tier = self.tiers.iter().rev().find(|tier| input > tier.above);
        tier.map_or(self.usual, |tier| tier.price)
    }

    /// Whether nothing costs anything.
    pub fn is_free(&self) -> bool {
        let mut all = std::iter::once(&self.usual).chain(self.tiers.iter().map(|tier| &tier.price));
        let is_free = |price: &Price| Price { cache_write_hour: None, ..*price } == Price::FREE;
        all.all(|price| is_free(price) && price.hour() == MicroUsd(0))
    }

    /// The dearer of both, at each length of the input.
    #[must_use]
    pub fn dearer(&self, other: &Self) -> Self {
        let begins = self.tiers.iter().chain(&other.tiers).map(|tier| tier.above);
        let both = Self::flat(self.usual.dearer(&other.usual));
        begins.fold(both, |both, above| {
            let next = above.saturating_add(1);
            both.above(above, self.at(next).dearer(&other.at(next)))
        })
    }
}

impl From<Price> for Prices {
    fn from(price: Price) -> Self {
        Self::flat(price)
    }
}

impl Price {
    /// Nothing, as on a server of one's own.
    pub const FREE: Self = Self::new(MicroUsd(0), MicroUsd(0));

    /// The price of input and output; what is read from or written to a cache costs what other
    /// input costs.
    pub const fn new(input: MicroUsd, output: MicroUsd) -> Self {
        Self { input, cache_read: input, cache_write: input, cache_write_hour: None, output }
    }

    /// The price of tokens that a cache keeps for an hour.
    fn hour(&self) -> MicroUsd {
        self.cache_write_hour.unwrap_or(self.cache_write)
    }

    /// The higher of both amounts, for each kind of token.
    #[must_use]
    pub fn dearer(&self, other: &Self) -> Self {
        Self {
            input: self.input.max(other.input),
            cache_read: self.cache_read.max(other.cache_read),
            cache_write: self.cache_write.max(other.cache_write),
            cache_write_hour: self
                .cache_write_hour
                .or(other.cache_write_hour)
                .map(|_| self.hour().max(other.hour())),
            output: self.output.max(other.output),
        }
    }

    /// The cost of a usage, rounded up to a millionth of a dollar.
    pub fn cost(&self, usage: &Usage) -> MicroUsd {
        let cached = usage.cache_read.saturating_add(usage.cache_write);
        let plain = usage.input.saturating_sub(cached);
        let hour = usage.cache_write_hour.min(usage.cache_write);
        let sum = part(plain, self.input)
            .saturating_add(part(usage.cache_read, self.cache_read))
            .saturating_add(part(usage.cache_write - hour, self.cache_write))
            .saturating_add(part(hour, self.hour()))
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
