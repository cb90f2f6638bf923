//! What a model can do, how much it reads and writes, and what it costs.

use legwork_core::budget::{Price, Prices};

use super::ability::{Abilities, Ability, Support};

/// What is known of a model: its abilities, limits and prices.
///
/// ```
/// use legwork_port::{Ability, Profile, Support};
///
/// let profile = Profile::new().with_max_output(8_192).with(Ability::Tools);
/// assert_eq!(profile.supports(Ability::Tools), Support::Yes);
/// assert_eq!(profile.supports(Ability::Audio), Support::Unknown);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Profile {
    /// The maximum of input and output tokens together; none = unknown.
    pub context_window: Option<u64>,
    /// The maximum of output tokens; none = unknown.
    pub max_output: Option<u64>,
    /// The prices of its tokens; none = unknown, so money cannot be limited.
    pub prices: Option<Prices>,
    /// What it can do.
    pub abilities: Abilities,
}

impl Profile {
    /// A model of which nothing is known.
    pub const fn new() -> Self {
        Self { context_window: None, max_output: None, prices: None, abilities: Abilities::UNKNOWN }
    }

    /// The same with a maximum of input and output tokens together.
    #[must_use]
    pub fn with_context_window(self, tokens: u64) -> Self {
        Self { context_window: Some(tokens), ..self }
    }

    /// The same with a maximum of output tokens.
    #[must_use]
    pub fn with_max_output(self, tokens: u64) -> Self {
        Self { max_output: Some(tokens), ..self }
    }

    /// The same with prices; a [`Price`] is one whatever is sent.
    #[must_use]
    pub fn with_prices(self, prices: impl Into<Prices>) -> Self {
        Self { prices: Some(prices.into()), ..self }
    }

    /// The same with an ability.
    #[must_use]
    pub fn with(self, ability: Ability) -> Self {
        Self { abilities: self.abilities.with(ability), ..self }
    }

    /// The same without an ability, which is known to be missing.
    #[must_use]
    pub fn without(self, ability: Ability) -> Self {
        Self { abilities: self.abilities.without(ability), ..self }
    }

    /// Whether it has an ability.
    pub fn supports(&self, ability: Ability) -> Support {
        self.abilities.of(ability)
    }

    /// The price of a request with so many input tokens; none = unknown.
    pub fn price_at(&self, input: u64) -> Option<Price> {
        self.prices.as_ref().map(|prices| prices.at(input))
    }
}
