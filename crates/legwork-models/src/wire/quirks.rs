//! What servers of one API do differently.

/// Which field limits the length of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MaxTokensField {
    /// `max_tokens`, as most servers know it.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, as OpenAI itself wants it.
    MaxCompletionTokens,
}

impl MaxTokensField {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// What a server of Chat Completions does differently from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quirks {
    /// Which field limits the length of an answer.
    pub max_tokens: MaxTokensField,
    /// Whether a stream is asked for its usage: some servers refuse the question.
    pub stream_usage: bool,
}

impl Default for Quirks {
    fn default() -> Self {
        Self { max_tokens: MaxTokensField::default(), stream_usage: true }
    }
}
