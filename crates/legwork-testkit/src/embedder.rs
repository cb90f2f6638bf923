//! An embedder in this process: texts that share words lie near each other.

use std::future::ready;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use legwork_port::{BoxFuture, Embedder, model};

/// Numbers of a vector.
const LENGTH: usize = 64;

/// Counts words, each at a place that follows from its letters; vectors have the length 1.
///
/// The same text has the same vector in each process.
#[derive(Debug, Clone, Copy, Default)]
pub struct WordEmbedder;

impl Embedder for WordEmbedder {
    fn embed<'a>(
        &'a self,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, model::Error>> {
        Box::pin(ready(Ok(texts.iter().map(|text| vector(text)).collect())))
    }
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
