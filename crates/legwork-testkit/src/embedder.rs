//! An embedder in this process: texts that share words lie near each other.

use std::future::ready;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use legwork_port::embedder::{Embedder, Embeddings, Error, Profile, Request};
use legwork_port::{BoxFuture, model};

/// Numbers of a vector.
const LENGTH: usize = 64;
const DIMENSIONS: u32 = 64;

/// Counts words, each at a place that follows from its letters; vectors have the length 1.
///
/// The same text has the same vector in each process. A request for another number of dimensions
/// is refused; purposes make no difference.
#[derive(Debug, Clone)]
pub struct WordEmbedder(Profile);

impl Default for WordEmbedder {
    fn default() -> Self {
        Self(Profile::default().with_dimensions(DIMENSIONS))
    }
}

impl Embedder for WordEmbedder {
    fn name(&self) -> &str {
        "test:words"
    }

    fn profile(&self) -> &Profile {
        &self.0
    }

    fn embed(&self, request: Request) -> BoxFuture<'_, Result<Embeddings, Error>> {
        Box::pin(ready(match request.dimensions {
            Some(asked) if asked != DIMENSIONS => Err(unable(asked)),
            _ => Ok(Embeddings::new(request.texts.iter().map(|text| vector(text)).collect())),
        }))
    }
}

fn unable(asked: u32) -> Error {
    let message =
        format!("its vectors have {DIMENSIONS} numbers, not {asked}: leave dimensions out");
    model::Error::new(model::Kind::BadRequest, message).into()
}

fn vector(text: &str) -> Vec<f32> {
    let mut counts = [0_f32; LENGTH];
    // A text without a word has a place, too: the first.
    if let Some(first) = counts.first_mut() {
        *first = 0.1;
    }
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        if let Some(count) = counts.get_mut(place(&word.to_lowercase())) {
            *count += 1.0;
        }
    }
    let length = counts.iter().map(|count| count * count).sum::<f32>().sqrt();
    counts.iter().map(|count| count / length).collect()
}

/// A place that is not the one of texts without words.
fn place(word: &str) -> usize {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    let place = hasher.finish() % (LENGTH as u64 - 1) + 1;
    usize::try_from(place).unwrap_or_default()
}
