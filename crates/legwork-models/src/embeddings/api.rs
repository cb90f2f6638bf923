//! The APIs of embedding models.

use std::fmt;
use std::str::FromStr;

use super::wire::Wire;
use crate::UnknownApi;

/// An API that a server of embedding models speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Api {
    /// OpenAI's embeddings, which most other servers speak, too.
    #[cfg(any(feature = "openai", feature = "responses"))]
    OpenAi,
    /// `batchEmbedContents` of Google's Gemini API.
    #[cfg(feature = "gemini")]
    Gemini,
    /// Cohere's embed.
    #[cfg(feature = "openai")]
    Cohere,
    /// Ollama's own embed.
    #[cfg(feature = "openai")]
    Ollama,
}

impl Api {
    /// All that are compiled in.
    pub const ALL: &[Self] = &[
        #[cfg(any(feature = "openai", feature = "responses"))]
        Self::OpenAi,
        #[cfg(feature = "gemini")]
        Self::Gemini,
        #[cfg(feature = "openai")]
        Self::Cohere,
        #[cfg(feature = "openai")]
        Self::Ollama,
    ];

    /// Its name in commands, such as `openai-embeddings`.
    pub fn name(self) -> &'static str {
        self.wire().name()
    }

    /// Its name in sentences, such as `OpenAI embeddings`.
    pub fn title(self) -> &'static str {
        self.wire().title()
    }

    /// The API whose requests go to this path, if one is known.
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        Self::ALL.iter().copied().find(|api| api.wire().is_path(path))
    }

    pub(crate) fn wire(self) -> &'static dyn Wire {
        match self {
            #[cfg(any(feature = "openai", feature = "responses"))]
            Self::OpenAi => &super::openai::OpenAi,
            #[cfg(feature = "gemini")]
            Self::Gemini => &super::gemini::Gemini,
            #[cfg(feature = "openai")]
            Self::Cohere => &super::cohere::Cohere,
            #[cfg(feature = "openai")]
            Self::Ollama => &super::ollama::Ollama,
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Api {
    type Err = UnknownApi;

    fn from_str(name: &str) -> Result<Self, UnknownApi> {
        let named = Self::ALL.iter().copied().find(|api| api.name() == name);
        named.ok_or_else(|| UnknownApi::of(name, Self::ALL.iter().map(|api| api.name())))
    }
}
