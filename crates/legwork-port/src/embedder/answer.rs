//! What an embedder answers.

use legwork_core::Usage;
use legwork_core::budget::{MicroUsd, Price};

/// The vectors of a request, and what they cost.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Embeddings {
    /// One vector per text, in the order of the texts, all of one length.
    pub vectors: Vec<Vec<f32>>,
    /// The model that answered, as the provider names it; none if it does not say.
    pub model: Option<String>,
    /// The tokens used; none if the provider did not report them for all texts.
    pub usage: Option<Usage>,
    /// The number of failed attempts before it that may have cost money.
    pub charged_attempts: u32,
}

impl Embeddings {
    /// Vectors of which nothing else is known.
    pub fn new(vectors: Vec<Vec<f32>>) -> Self {
        Self { vectors, ..Self::default() }
    }

    /// The same, answered by this model.
    #[must_use]
    pub fn with_model(self, model: impl Into<String>) -> Self {
        Self { model: Some(model.into()), ..self }
    }

    /// The same with what was used.
    #[must_use]
    pub fn with_usage(self, usage: Usage) -> Self {
        Self { usage: Some(usage), ..self }
    }

    /// What they cost at a price, without [attempts that failed](Self::charged_attempts); none
    /// if it is not known what was used.
    pub fn cost(&self, price: &Price) -> Option<MicroUsd> {
        self.usage.map(|usage| price.cost(&usage))
    }
}
