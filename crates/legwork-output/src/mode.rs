//! How a model is asked for JSON.

use legwork_port::{Ability, Profile, Support};

/// How a model is asked for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// It calls a tool whose arguments are the value.
    ToolCall,
    /// The provider holds the answer to the schema, fitted to its dialect.
    NativeSchema,
    /// The provider holds the answer to be some JSON object; the schema is in the prompt.
    JsonObject,
    /// The prompt asks for a fenced block of JSON.
    Fenced,
    /// The prompt asks for JSON in the text.
    Prompted,
}

impl Mode {
    /// The best mode for a model with these abilities: a tool call; where it calls no tools its
    /// native schema, then its JSON mode, and a fenced block where it has neither.
    ///
    /// Of a model of which nothing is known it is assumed that it calls tools.
    pub fn of_profile(profile: &Profile) -> Self {
        let is_known = |ability| profile.supports(ability) == Support::Yes;
        match profile.supports(Ability::Tools) {
            Support::Yes | Support::Unknown => Self::ToolCall,
            Support::No if is_known(Ability::JsonSchema) => Self::NativeSchema,
            Support::No if is_known(Ability::JsonObject) => Self::JsonObject,
            Support::No => Self::Fenced,
        }
    }
}
