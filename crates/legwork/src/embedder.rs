//! Embedding models by name: texts as vectors.
//!
//! ```no_run
//! use legwork::embedder::{self, Request};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let embedder = embedder::from_env("openai:text-embedding-3-small")?;
//!     let stored = Request::documents(["A cat sat on the mat.", "Interest rates rose again."]);
//!     let stored = embedder.embed(stored).await?;
//!     let asked = embedder.embed(Request::query("What did the cat do?")).await?;
//!     println!("{} vectors for {:?} tokens", stored.vectors.len(), stored.usage);
//!     println!("the question is {} numbers", asked.vectors[0].len());
//!     Ok(())
//! }
//! ```

use std::sync::Arc;

#[cfg(feature = "embeddings")]
pub use legwork_models::{EmbedderBuilder, HttpEmbedder, embeddings};
pub use legwork_port::embedder::{Embedder, Embeddings, Error, Profile, Purpose, Request};

use crate::error::Result;

#[cfg_attr(not(feature = "embeddings"), path = "embedder/none.rs")]
mod named;

#[cfg(feature = "embeddings")]
pub use named::{builder, builder_from_env};

/// The names of the known providers that have embeddings.
pub fn providers() -> impl Iterator<Item = &'static str> {
    named::names()
}

/// An embedding model by its name, with the key and the base URL from the environment.
///
/// The variables are those of [`model::from_env`](crate::model::from_env), and so are the servers
/// that need no key.
///
/// # Errors
/// [`Error::Model`](crate::Error::Model) if the name is not `provider:name`, the provider unknown
/// or without embeddings, the key missing, the proxy unusable, or the feature of its API off.
pub fn from_env(name: &str) -> Result<Arc<dyn Embedder>> {
    named::from_env(name)
}

/// An embedding model by its name, with a base URL (its provider's by default) and a key.
///
/// # Errors
/// [`Error::Model`](crate::Error::Model) if the name is not `provider:name`, the provider unknown
/// and no URL given, the provider without embeddings, a needed key missing, the URL unusable, or
/// the feature of its API off.
pub fn at(name: &str, base_url: Option<&str>, key: Option<&str>) -> Result<Arc<dyn Embedder>> {
    named::at(name, base_url, key)
}
