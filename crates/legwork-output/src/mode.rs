//! How a model is asked for JSON.

use legwork_port::Profile;

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
    /// The mode for a model with these abilities: a tool call, or else a fenced block.
    ///
    /// A profile does not say whether a provider knows schemas: choose [`Mode::NativeSchema`]
    /// where it does.
    pub fn of_profile(profile: &Profile) -> Self {
        if profile.tools { Self::ToolCall } else { Self::Fenced }
    }
}
