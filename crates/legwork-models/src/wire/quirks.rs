//! What servers of one API do differently.

/// What a server of Chat Completions does differently from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quirks {
    /// Which field limits the length of an answer.
    pub max_tokens: MaxTokensField,
    /// Whether a stream is asked for its usage: some servers refuse the question.
    pub stream_usage: bool,
    /// How the server is told how much to think.
    pub thinking: ThinkingControl,
    /// Which thinking is sent back to the server that made it.
    pub thinking_back: ThinkingBack,
}

impl Quirks {
    /// What most servers do.
    pub const USUAL: Self = Self {
        max_tokens: MaxTokensField::MaxTokens,
        stream_usage: true,
        thinking: ThinkingControl::Effort,
        thinking_back: ThinkingBack::Never,
    };

    /// The same with another control of thinking, and thinking that is sent back.
    pub(crate) const fn thinking(self, control: ThinkingControl, back: ThinkingBack) -> Self {
        Self { thinking: control, thinking_back: back, ..self }
    }
}

impl Default for Quirks {
    fn default() -> Self {
        Self::USUAL
    }
}

/// Which field limits the length of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
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

/// How a server of Chat Completions is told how much to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ThinkingControl {
    /// `reasoning_effort`: a level; a number of tokens becomes the nearest level.
    #[default]
    Effort,
    /// `reasoning`, an object with an effort or a number of tokens, as OpenRouter has it.
    Reasoning,
    /// `thinking`, an object that says whether, as DeepSeek, Moonshot and GLM have it.
    Switch,
    /// `enable_thinking` and `thinking_budget`, as Qwen has it.
    Budget,
}

/// Which thinking is sent back to the server that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ThinkingBack {
    /// None: the server has no field for it.
    #[default]
    Never,
    /// That of answers which called tools: without it the server refuses the request, or thinks
    /// worse.
    WithCalls,
    /// All of it.
    Always,
}
