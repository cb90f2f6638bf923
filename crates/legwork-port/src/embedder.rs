//! Texts as vectors.

use crate::{BoxFuture, model};

/// Turns texts into vectors whose nearness is nearness of meaning.
pub trait Embedder: Send + Sync {
    /// One vector for each text, all of one length, in the order of the texts. However many
    /// texts there are, it is one call: an adapter asks its provider several times if it has to.
    ///
    /// # Errors
    /// Why there are no vectors; the same kinds as a model's, since the same providers are
    /// asked.
    fn embed<'a>(
        &'a self,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, model::Error>>;
}
