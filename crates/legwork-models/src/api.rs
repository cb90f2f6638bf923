//! The APIs that servers of models speak.

use std::fmt;
use std::str::FromStr;

use crate::wire::Wire;

/// An API that a server of models speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Api {
    /// OpenAI's Chat Completions, which most other servers speak, too.
    #[cfg(feature = "openai")]
    ChatCompletions,
    /// OpenAI's Responses.
    #[cfg(feature = "responses")]
    Responses,
    /// Anthropic's Messages.
    #[cfg(feature = "anthropic")]
    Messages,
    /// Google's Gemini API, which Vertex AI speaks, too.
    #[cfg(feature = "gemini")]
    GenerateContent,
    /// Amazon Bedrock's Converse.
    #[cfg(feature = "bedrock")]
    Converse,
}

impl Api {
    /// All that are compiled in.
    pub const ALL: &[Self] = &[
        #[cfg(feature = "openai")]
        Self::ChatCompletions,
        #[cfg(feature = "responses")]
        Self::Responses,
        #[cfg(feature = "anthropic")]
        Self::Messages,
        #[cfg(feature = "gemini")]
        Self::GenerateContent,
        #[cfg(feature = "bedrock")]
        Self::Converse,
    ];

    /// Its name in commands and settings, such as `chat`.
    pub fn name(self) -> &'static str {
        self.wire().name()
    }

    /// Its name in sentences, such as `Chat Completions`.
    pub fn title(self) -> &'static str {
        self.wire().title()
    }

    /// Whether its servers count the tokens of a request, as the makers of the API describe it.
    pub fn counts_tokens(self) -> bool {
        self.wire().counting().is_some()
    }

    /// The API whose requests for an answer go to this path, if one is known.
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        Self::ALL.iter().copied().find(|api| api.wire().is_path(path))
    }

    pub(crate) fn wire(self) -> &'static dyn Wire {
        match self {
            #[cfg(feature = "openai")]
            Self::ChatCompletions => &crate::openai::chat::Chat,
            #[cfg(feature = "responses")]
            Self::Responses => &crate::openai::responses::Responses,
            #[cfg(feature = "anthropic")]
            Self::Messages => &crate::anthropic::Messages,
            #[cfg(feature = "gemini")]
            Self::GenerateContent => &crate::gemini::Gemini,
            #[cfg(feature = "bedrock")]
            Self::Converse => &crate::bedrock::Converse,
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no API of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no API `{name}`; known are {known}")]
pub struct UnknownApi {
    name: String,
    known: String,
}

impl UnknownApi {
    pub(crate) fn of(name: &str, known: impl Iterator<Item = &'static str>) -> Self {
        Self { name: name.to_owned(), known: known.collect::<Vec<_>>().join(", ") }
    }
}

impl FromStr for Api {
    type Err = UnknownApi;

    fn from_str(name: &str) -> Result<Self, UnknownApi> {
        let named = Self::ALL.iter().copied().find(|api| api.name() == name);
        named.ok_or_else(|| UnknownApi::of(name, Self::ALL.iter().map(|api| api.name())))
    }
}
