//! Texts as vectors.

use crate::BoxFuture;

/// Turns texts into vectors whose nearness is nearness of meaning.
pub trait Embedder: Send + Sync {
    /// One vector a text, all of one length, in the order of the texts.
    ///
    /// # Errors
    /// What the provider said, in words.
    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, String>>;
}
