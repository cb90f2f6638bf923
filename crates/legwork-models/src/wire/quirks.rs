//! What servers of one API do differently.

use std::borrow::Cow;

use super::ids::{fitting, nine};

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
    /// Which ids of calls the server takes.
    pub call_ids: CallIds,
    /// Which field holds the seed.
    pub seed: SeedField,
    /// For which models the server is asked to keep a request in its cache.
    pub prompt_cache: PromptCache,
}

impl Quirks {
    /// What most servers do.
    pub const USUAL: Self = Self {
        max_tokens: MaxTokensField::MaxTokens,
        stream_usage: true,
        thinking: ThinkingControl::Effort,
        thinking_back: ThinkingBack::Never,
        call_ids: CallIds::Any,
        seed: SeedField::Seed,
        prompt_cache: PromptCache::ByItself,
    };

    /// Those of OpenAI itself.
    pub(crate) const OPENAI: Self = Self { call_ids: CallIds::AtMost(40), ..Self::USUAL };

    /// Those of Azure OpenAI.
    pub(crate) const AZURE: Self =
        Self { max_tokens: MaxTokensField::MaxCompletionTokens, ..Self::OPENAI };

    /// Those of Mistral AI, which refuses fields that it does not know.
    pub(crate) const MISTRAL: Self =
        Self { call_ids: CallIds::Nine, seed: SeedField::RandomSeed, ..Self::USUAL };

    /// Those of OpenRouter.
    pub(crate) const OPENROUTER: Self = Self {
        prompt_cache: PromptCache::AskedForClaude,
        ..Self::USUAL.thinking(ThinkingControl::Reasoning, ThinkingBack::Always)
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
    /// `thinking`, an object that says whether, as DeepSeek, Moonshot and GLM have it: each level
    /// but off is on, and a number of tokens is refused.
    Switch,
    /// `enable_thinking` and `thinking_budget`, as Qwen has it: low, medium and high are 2,048,
    /// 8,192 and 16,384 tokens.
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

/// Which ids of calls a server of Chat Completions takes.
///
/// Another id, which another provider made, becomes one of these, the same in each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CallIds {
    /// Any.
    #[default]
    Any,
    /// Letters, digits, `_` and `-`, at most so many (17 at least), as OpenAI has it (40).
    AtMost(usize),
    /// Nine letters and digits, as Mistral has it.
    Nine,
}

impl CallIds {
    /// An id as the server takes it.
    pub(crate) fn fit(self, id: &str) -> Cow<'_, str> {
        match self {
            Self::Any => Cow::Borrowed(id),
            Self::AtMost(most) => fitting(id, most.max(17)),
            Self::Nine => nine(id),
        }
    }
}

/// Which field of Chat Completions holds the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SeedField {
    /// `seed`, as most servers know it.
    #[default]
    Seed,
    /// `random_seed`, as Mistral has it.
    RandomSeed,
}

impl SeedField {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::RandomSeed => "random_seed",
        }
    }
}

/// For which models a server of Chat Completions is asked to keep a request in its prompt cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PromptCache {
    /// For none: the server keeps the beginnings of requests without being asked, or not at all.
    #[default]
    ByItself,
    /// For models of Anthropic, whose names begin with `anthropic/`, as OpenRouter has it.
    ///
    /// The field is `cache_control`, which marks the whole request up to its last message
    /// (`AnthropicCacheControlDirective` in OpenRouter's reference, read on 2026-11-27).
    AskedForClaude,
}

impl PromptCache {
    /// Whether a request to a model asks for it.
    pub(crate) fn is_asked(self, model: &str) -> bool {
        self == Self::AskedForClaude && model.starts_with("anthropic/")
    }
}
