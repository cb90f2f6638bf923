//! What servers of one API of embeddings do differently, and how much they take at once.

use super::Api;

/// An API of embeddings, and how a provider speaks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dialect {
    /// The API.
    pub api: Api,
    /// What the provider does differently, and how much it takes at once.
    pub quirks: Quirks,
}

impl Dialect {
    /// An API as this provider speaks it.
    pub const fn new(api: Api, quirks: Quirks) -> Self {
        Self { api, quirks }
    }
}

/// What a server of embeddings does differently from others, and how much it takes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quirks {
    /// The most texts that one request may have.
    pub texts: usize,
    /// The most tokens that the texts of one request may have together; none = any number.
    ///
    /// Tokens are estimated by the length of the texts, rather too many. A text that is longer
    /// by itself is sent alone.
    pub tokens: Option<u64>,
    /// Which field says how many numbers a vector has.
    pub dimensions: DimensionsField,
    /// Whether vectors are asked for as base64, which is a quarter of their length as numbers.
    pub base64: bool,
}

impl Quirks {
    /// What is safe with most servers: 256 texts a request.
    pub const USUAL: Self =
        Self { texts: 256, tokens: None, dimensions: DimensionsField::Dimensions, base64: false };

    /// The same with a most of texts in a request.
    #[must_use]
    pub const fn with_texts(self, texts: usize) -> Self {
        Self { texts, ..self }
    }

    /// The same with a most of tokens in a request.
    #[must_use]
    pub const fn with_tokens(self, tokens: u64) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    /// The same with another field for the number of dimensions.
    #[must_use]
    pub const fn with_dimensions(self, dimensions: DimensionsField) -> Self {
        Self { dimensions, ..self }
    }

    /// The same with vectors that come as base64.
    #[must_use]
    pub const fn in_base64(self) -> Self {
        Self { base64: true, ..self }
    }
}

impl Default for Quirks {
    fn default() -> Self {
        Self::USUAL
    }
}

/// Which field of a request says how many numbers a vector has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum DimensionsField {
    /// `dimensions`, as OpenAI and most servers have it.
    #[default]
    Dimensions,
    /// `output_dimension`, as Mistral and Cohere have it.
    OutputDimension,
    /// `outputDimensionality`, as Google has it.
    OutputDimensionality,
    /// None: the server cannot shorten vectors.
    None,
}

impl DimensionsField {
    /// The field's name; none if there is none.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Dimensions => Some("dimensions"),
            Self::OutputDimension => Some("output_dimension"),
            Self::OutputDimensionality => Some("outputDimensionality"),
            Self::None => None,
        }
    }
}
