//! How providers speak the APIs of embeddings, and what they take at once.

#[cfg(any(feature = "gemini", feature = "openai"))]
use crate::embeddings::DimensionsField;
#[cfg(any(feature = "gemini", feature = "openai", feature = "responses"))]
use crate::embeddings::Quirks;

/// OpenAI: 2,048 texts and 300,000 tokens a request, as its reference of the API says.
#[cfg(any(feature = "openai", feature = "responses"))]
pub(super) const OPENAI: Quirks = Quirks::USUAL.with_texts(2_048).with_tokens(300_000).in_base64();

/// Google: 100 texts a request, as the server's refusal of more says.
#[cfg(feature = "gemini")]
pub(crate) const GEMINI: Quirks =
    Quirks::USUAL.with_texts(100).with_dimensions(DimensionsField::OutputDimensionality);

/// Cohere: 96 texts a request, as its reference of the API says.
#[cfg(feature = "openai")]
pub(crate) const COHERE: Quirks =
    Quirks::USUAL.with_texts(96).with_dimensions(DimensionsField::OutputDimension);

/// GitHub Models: 64,000 tokens a request, as its table of rate limits says.
#[cfg(feature = "openai")]
pub(super) const GITHUB: Quirks = Quirks::USUAL.with_tokens(64_000);

/// Mistral: 256 texts a request, as the server's refusal of more says, and 16,384 tokens.
#[cfg(feature = "openai")]
pub(super) const MISTRAL: Quirks = Quirks::USUAL
    .with_texts(256)
    .with_tokens(16_384)
    .with_dimensions(DimensionsField::OutputDimension);

/// Alibaba Cloud: 10 texts a request, as its reference of the API says.
#[cfg(feature = "openai")]
pub(super) const QWEN: Quirks = Quirks::USUAL.with_texts(10);

/// SambaNova: its pages name no limit; 32 texts is what a widespread client sends.
#[cfg(feature = "openai")]
pub(super) const SAMBANOVA: Quirks = WHOLE.with_texts(32);

/// Servers that cannot shorten vectors.
#[cfg(feature = "openai")]
pub(super) const WHOLE: Quirks = Quirks::USUAL.with_dimensions(DimensionsField::None);
