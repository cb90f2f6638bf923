//! What models can do, and whether that is known.

use std::fmt;
use std::str::FromStr;

/// Something that a model can do, or cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Ability {
    /// It calls tools.
    Tools,
    /// It makes several calls in one answer.
    ParallelCalls,
    /// It can be made to call a tool, any or a named one.
    ForcedCalls,
    /// It sees images.
    Images,
    /// It reads files, such as PDF.
    Files,
    /// It hears audio.
    Audio,
    /// It thinks before it answers.
    Thinking,
    /// The provider holds its answers to a JSON Schema.
    JsonSchema,
    /// The provider holds its answers to be a JSON object.
    JsonObject,
    /// The provider keeps the beginning of prompts, at a price of its own.
    PromptCache,
    /// It turns texts into vectors.
    Embeddings,
}

impl Ability {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 11] = [
        Self::Tools,
        Self::ParallelCalls,
        Self::ForcedCalls,
        Self::Images,
        Self::Files,
        Self::Audio,
        Self::Thinking,
        Self::JsonSchema,
        Self::JsonObject,
        Self::PromptCache,
        Self::Embeddings,
    ];

    /// Its name in data, such as `forced_calls`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::ParallelCalls => "parallel_calls",
            Self::ForcedCalls => "forced_calls",
            Self::Images => "images",
            Self::Files => "files",
            Self::Audio => "audio",
            Self::Thinking => "thinking",
            Self::JsonSchema => "json_schema",
            Self::JsonObject => "json_object",
            Self::PromptCache => "prompt_cache",
            Self::Embeddings => "embeddings",
        }
    }

    /// Its name in sentences, such as `forced calls`.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::ParallelCalls => "parallel calls",
            Self::ForcedCalls => "forced calls",
            Self::Images => "images",
            Self::Files => "files",
            Self::Audio => "audio",
            Self::Thinking => "thinking",
            Self::JsonSchema => "JSON Schema",
            Self::JsonObject => "JSON objects",
            Self::PromptCache => "prompt cache",
            Self::Embeddings => "embeddings",
        }
    }

    const fn bit(self) -> u32 {
        1 << (self as u32)
    }
}

impl fmt::Display for Ability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no ability of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no ability `{0}`; known are {known}", known = known())]
pub struct UnknownAbility(pub String);

fn known() -> String {
    Ability::ALL.map(Ability::name).join(", ")
}

impl FromStr for Ability {
    type Err = UnknownAbility;

    fn from_str(name: &str) -> Result<Self, UnknownAbility> {
        let known = Self::ALL.into_iter().find(|ability| ability.name() == name);
        known.ok_or_else(|| UnknownAbility(name.to_owned()))
    }
}

/// Whether a model has an ability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Support {
    /// It has it.
    Yes,
    /// It has it not.
    No,
    /// Not stated so far.
    Unknown,
}

/// The abilities that a model is known to have, and those that it is known to lack.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Abilities {
    yes: u32,
    no: u32,
}

impl Abilities {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { yes: 0, no: 0 };

    /// Whether an ability is there.
    pub const fn of(self, ability: Ability) -> Support {
        match (self.yes & ability.bit() != 0, self.no & ability.bit() != 0) {
            (true, _) => Support::Yes,
            (false, true) => Support::No,
            (false, false) => Support::Unknown,
        }
    }

    /// The same with an ability.
    #[must_use]
    pub const fn with(self, ability: Ability) -> Self {
        Self { yes: self.yes | ability.bit(), no: self.no & !ability.bit() }
    }

    /// The same with an ability that is missing.
    #[must_use]
    pub const fn without(self, ability: Ability) -> Self {
        Self { yes: self.yes & !ability.bit(), no: self.no | ability.bit() }
    }

    /// What is known here, and of the rest what is known there.
    #[must_use]
    pub const fn or(self, there: Self) -> Self {
        Self { yes: self.yes | (there.yes & !self.no), no: self.no | (there.no & !self.yes) }
    }

    /// What is known of two models together: both have it, or one of them has it not.
    #[must_use]
    pub const fn shared(self, other: Self) -> Self {
        Self { yes: self.yes & other.yes, no: self.no | other.no }
    }

    /// The abilities of which this is known.
    pub fn that_are(self, support: Support) -> impl Iterator<Item = Ability> {
        Ability::ALL.into_iter().filter(move |ability| self.of(*ability) == support)
    }
}

impl fmt::Debug for Abilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |support| self.that_are(support).map(Ability::name).collect::<Vec<_>>();
        f.debug_struct("Abilities")
            .field("yes", &names(Support::Yes))
            .field("no", &names(Support::No))
            .finish()
    }
}

#[cfg(test)]
mod tests;
