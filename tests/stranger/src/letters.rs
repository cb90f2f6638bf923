//! An embedder: how often a text has each byte.

use std::future::ready;

use legwork_port::model::Error;
use legwork_port::{BoxFuture, Embedder};

/// Counts bytes; the vectors of texts that are written alike lie near each other.
#[derive(Debug, Clone, Copy, Default)]
pub struct Letters;

fn vector(text: &str) -> Vec<f32> {
    let mut counts = vec![0.0; 256];
    for byte in text.bytes() {
        counts[usize::from(byte)] += 1.0;
    }
    counts
}

impl Embedder for Letters {
    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, Error>> {
        Box::pin(ready(Ok(texts.iter().map(|text| vector(text)).collect())))
    }
}
