//! The APIs that are measured.

/// An API that the server and both sides speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// OpenAI's Chat Completions.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
    /// Google's Gemini API.
    Gemini,
    /// Bedrock's Converse.
    Bedrock,
}

impl Api {
    /// All.
    pub(crate) const ALL: [Self; 5] =
        [Self::Chat, Self::Responses, Self::Messages, Self::Gemini, Self::Bedrock];

    /// The provider of Legwork that speaks it.
    pub(crate) const fn provider(self) -> &'static str {
        match self {
            Self::Chat => "openai",
            Self::Responses => "openai-responses",
            Self::Messages => "anthropic",
            Self::Gemini => "google",
            Self::Bedrock => "bedrock",
        }
    }

    /// The API of a request's path, if it is one of these.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        match path.rsplit('/').next()? {
            "completions" => Some(Self::Chat),
            "responses" => Some(Self::Responses),
            "messages" => Some(Self::Messages),
            "converse" | "converse-stream" => Some(Self::Bedrock),
            last if last.contains(':') => Some(Self::Gemini),
            _ => None,
        }
    }
}
