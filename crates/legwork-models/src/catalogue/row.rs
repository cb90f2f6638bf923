//! What is known of one model.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::budget::Prices;
use legwork_port::model::Abilities;
use legwork_port::{Ability, Profile};

use super::error::Error;
use super::fact::{Fact, Origin};
use super::name;

/// What is known of one model, or of all whose names begin alike.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// The model as `provider:name`; with `*` at its end all whose names begin so.
    pub model: String,
    /// Tokens that input and output may have together; none = unknown.
    pub context_window: Option<Fact<u64>>,
    /// Tokens that an answer may have; none = unknown.
    pub max_output: Option<Fact<u64>>,
    /// What its tokens cost; none = unknown.
    pub prices: Option<Fact<Prices>>,
    /// Whether it has an ability; what is not there is unknown.
    pub abilities: BTreeMap<Ability, Fact<bool>>,
    /// The origin of what is added.
    origin: Arc<Origin>,
}

impl Row {
    /// A row that says nothing yet; what is added has this origin.
    ///
    /// # Errors
    /// If the name is not of the form `provider:name`.
    pub fn new(model: impl Into<String>, origin: impl Into<Arc<Origin>>) -> Result<Self, Error> {
        let model = model.into();
        match name::is_whole(&model) {
            true => Ok(Self::blank(model, origin.into())),
            false => Err(Error::Model { model }),
        }
    }

    pub(crate) fn blank(model: String, origin: Arc<Origin>) -> Self {
        let (context_window, max_output, prices) = (None, None, None);
        Self { model, context_window, max_output, prices, abilities: BTreeMap::new(), origin }
    }

    /// The same with the tokens that input and output may have together.
    #[must_use]
    pub fn with_context_window(self, tokens: u64) -> Self {
        Self { context_window: Some(Fact::new(tokens, &self.origin)), ..self }
    }

    /// The same with the tokens that an answer may have.
    #[must_use]
    pub fn with_max_output(self, tokens: u64) -> Self {
        Self { max_output: Some(Fact::new(tokens, &self.origin)), ..self }
    }

    /// The same with prices.
    #[must_use]
    pub fn with_prices(self, prices: impl Into<Prices>) -> Self {
        Self { prices: Some(Fact::new(prices.into(), &self.origin)), ..self }
    }

    /// The same with an ability.
    #[must_use]
    pub fn with(self, ability: Ability) -> Self {
        self.saying(ability, true)
    }

    /// The same without an ability, which is known to be missing.
    #[must_use]
    pub fn without(self, ability: Ability) -> Self {
        self.saying(ability, false)
    }

    fn saying(mut self, ability: Ability, has_it: bool) -> Self {
        self.abilities.insert(ability, Fact::new(has_it, &self.origin));
        self
    }

    /// What this row says, and of the rest what another one says.
    #[must_use]
    pub fn over(mut self, below: &Self) -> Self {
        for (ability, fact) in &below.abilities {
            self.abilities.entry(*ability).or_insert_with(|| fact.clone());
        }
        Self {
            context_window: self.context_window.or_else(|| below.context_window.clone()),
            max_output: self.max_output.or_else(|| below.max_output.clone()),
            prices: self.prices.or_else(|| below.prices.clone()),
            ..self
        }
    }

    /// The same, of a model.
    pub fn profile(&self) -> Profile {
        self.onto(Profile::new())
    }

    /// A profile with what the row says in place of what it said.
    #[must_use]
    pub fn onto(&self, mut profile: Profile) -> Profile {
        let tokens = |fact: &Fact<u64>| fact.value;
        profile.context_window =
            self.context_window.as_ref().map(tokens).or(profile.context_window);
        profile.max_output = self.max_output.as_ref().map(tokens).or(profile.max_output);
        if let Some(prices) = &self.prices {
            profile.prices = Some(prices.value.clone());
        }
        profile.abilities = self.known().or(profile.abilities);
        profile
    }

    /// The abilities of which something is known.
    pub fn known(&self) -> Abilities {
        self.abilities.iter().fold(Abilities::UNKNOWN, |known, (ability, fact)| match fact.value {
            true => known.with(*ability),
            false => known.without(*ability),
        })
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        let limits = self.context_window.is_none() && self.max_output.is_none();
        limits && self.prices.is_none() && self.abilities.is_empty()
    }

    /// Where what it says was read, each once.
    pub fn origins(&self) -> Vec<&Origin> {
        let limits = self.context_window.iter().chain(&self.max_output).map(|fact| &*fact.origin);
        let prices = self.prices.iter().map(|fact| &*fact.origin);
        let abilities = self.abilities.values().map(|fact| &*fact.origin);
        let mut all = Vec::new();
        for origin in limits.chain(prices).chain(abilities) {
            if !all.contains(&origin) {
                all.push(origin);
            }
        }
        all
    }
}
