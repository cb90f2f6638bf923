//! Why there are no vectors.

use super::Embeddings;
use crate::model;

/// Why there are no vectors, or not for all texts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{cause}")]
#[non_exhaustive]
pub struct Error {
    /// What happened, with status, code and the wait that the provider asks for.
    pub cause: model::Error,
    /// The vectors of the first texts, which were answered before and were paid for; none if
    /// there are none.
    ///
    /// The texts behind them can be asked for again.
    pub answered: Option<Box<Embeddings>>,
}

impl Error {
    /// An error after the first texts were answered.
    #[must_use]
    pub fn after(self, answered: Embeddings) -> Self {
        let answered = (!answered.vectors.is_empty()).then(|| Box::new(answered));
        Self { answered, ..self }
    }

    /// Whether a retry of the same request may succeed.
    pub fn is_retryable(&self) -> bool {
        self.cause.is_retryable()
    }
}

/// An error before any text was answered.
impl From<model::Error> for Error {
    fn from(cause: model::Error) -> Self {
        Self { cause, answered: None }
    }
}
