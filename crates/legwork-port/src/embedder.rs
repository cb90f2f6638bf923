//! Embedding models, which turn texts into vectors.
//!
//! ```
//! use legwork_port::BoxFuture;
//! use legwork_port::embedder::{Embedder, Embeddings, Error, Profile, Request};
//!
//! /// One number: how long a text is.
//! struct Lengths(Profile);
//!
//! impl Embedder for Lengths {
//!     fn name(&self) -> &str {
//!         "mine:lengths"
//!     }
//!     fn profile(&self) -> &Profile {
//!         &self.0
//!     }
//!     fn embed(&self, request: Request) -> BoxFuture<'_, Result<Embeddings, Error>> {
//!         let vectors = request.texts.iter().map(|text| vec![text.len() as f32]).collect();
//!         Box::pin(async { Ok(Embeddings::new(vectors)) })
//!     }
//! }
//! ```

mod answer;
mod error;
mod request;

use std::sync::Arc;

use legwork_core::Mask;
use legwork_core::budget::Price;

use crate::BoxFuture;

pub use answer::Embeddings;
pub use error::Error;
pub use request::{Purpose, Request};

/// Turns texts into embedding vectors: similar texts have vectors that are close.
pub trait Embedder: Send + Sync {
    /// The model as `provider:name`.
    fn name(&self) -> &str;

    /// Its vectors, limits and price.
    fn profile(&self) -> &Profile;

    /// The mask of its keys, for everything written or displayed.
    fn mask(&self) -> Mask {
        Mask::default()
    }

    /// One vector per text, in the order of the texts, all of the same length.
    ///
    /// Any number of texts may be passed: an adapter splits them into several requests if the
    /// provider's limits require it. No text is no vector, and no request.
    ///
    /// It may retry failed attempts. Dropping the future closes the connection and ends a wait;
    /// what was answered until then is lost.
    ///
    /// # Errors
    /// Why there are no vectors for some of the texts, with those that there are: their price
    /// was paid.
    fn embed(&self, request: Request) -> BoxFuture<'_, Result<Embeddings, Error>>;
}

impl<E: Embedder + ?Sized> Embedder for Arc<E> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn profile(&self) -> &Profile {
        (**self).profile()
    }

    fn mask(&self) -> Mask {
        (**self).mask()
    }

    fn embed(&self, request: Request) -> BoxFuture<'_, Result<Embeddings, Error>> {
        (**self).embed(request)
    }
}

/// The vectors, limits and price of an embedding model.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Profile {
    /// Numbers of a vector, unless a request asks for another; none = unknown.
    pub dimensions: Option<u32>,
    /// The maximum of tokens of one text; none = unknown.
    pub context_window: Option<u64>,
    /// The price of its tokens; none = unknown.
    pub price: Option<Price>,
}

impl Profile {
    /// The same with so many numbers in a vector.
    #[must_use]
    pub fn with_dimensions(self, dimensions: u32) -> Self {
        Self { dimensions: Some(dimensions), ..self }
    }

    /// The same with a maximum of tokens of one text.
    #[must_use]
    pub fn with_context_window(self, tokens: u64) -> Self {
        Self { context_window: Some(tokens), ..self }
    }

    /// The same with a price.
    #[must_use]
    pub fn with_price(self, price: Price) -> Self {
        Self { price: Some(price), ..self }
    }
}
