//! An embedder: how often a text has each byte.

use std::future::ready;

use legwork_port::BoxFuture;
use legwork_port::embedder::{Embedder, Embeddings, Error, Profile, Request};
use legwork_port::model;

/// Counts bytes; the vectors of texts that are written alike lie near each other.
#[derive(Debug, Clone)]
pub struct Letters(Profile);

impl Default for Letters {
    fn default() -> Self {
        Self(Profile::default().with_dimensions(256))
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut counts = vec![0.0; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1.0;
    }
    counts
}

impl Embedder for Letters {
    fn name(&self) -> &str {
        "stranger:letters"
    }

    fn profile(&self) -> &Profile {
        &self.0
    }

    fn embed(&self, request: Request) -> BoxFuture<'_, Result<Embeddings, Error>> {
        let Request { texts, dimensions, .. } = request;
        Box::pin(ready(match dimensions {
            None | Some(256) => {
                Ok(Embeddings::new(texts.iter().map(|text| vector(text)).collect()))
            }
            Some(_) => {
                let message = "there are 256 bytes: leave dimensions out";
                Err(model::Error::new(model::Kind::BadRequest, message).into())
            }
        }))
    }
}
