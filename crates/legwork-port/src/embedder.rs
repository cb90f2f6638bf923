//! Embedding models, which turn texts into vectors.

use crate::{BoxFuture, model};

/// Turns texts into embedding vectors: similar texts have vectors that are close.
pub trait Embedder: Send + Sync {
    /// One vector per text, in the order of the texts, all of the same length.
    ///
    /// Any number of texts may be passed: an adapter splits them into several requests if the
    /// provider's limits require it.
    ///
    /// # Errors
    /// Why there are no vectors; the same kinds as for [`Model::infer`](crate::Model::infer).
    fn embed<'a>(
        &'a self,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, model::Error>>;
}
