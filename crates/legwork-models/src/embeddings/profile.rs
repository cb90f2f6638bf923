//! What is known of embedding models by their names.

use legwork_port::embedder::Profile;

use crate::catalogue::{shipped, undated};

/// Name, numbers of a vector, tokens of a text.
///
/// Numbers of vectors as recorded answers have them, or the pages of the models; tokens as pages
/// said in November 2026.
const KNOWN: &[(&str, u32, u64)] = &[
    ("text-embedding-3-small", 1_536, 8_192),
    ("text-embedding-3-large", 3_072, 8_192),
    ("text-embedding-ada-002", 1_536, 8_192),
    ("gemini-embedding-001", 3_072, 2_048),
    ("gemini-embedding-2", 3_072, 8_192),
    ("gemini-embedding-2-preview", 3_072, 8_192),
    ("embed-v4.0", 1_536, 128_000),
    ("mistral-embed", 1_024, 8_192),
];

/// The profile of a model of a provider, or of another one that serves what `maker` made.
///
/// The price is that of the shipped [`Catalogue`](crate::Catalogue), if it is there.
pub(crate) fn known(provider: &str, maker: &str, model: &str) -> Profile {
    let price = |of: &str| shipped().of(&format!("{of}:{model}"))?.profile().price_at(0);
    let mut profile = Profile::default();
    profile.price = price(provider).or_else(|| price(maker));
    let name = undated(model).unwrap_or(model);
    if let Some((_, dimensions, window)) = KNOWN.iter().find(|row| row.0 == name) {
        profile.dimensions = Some(*dimensions);
        profile.context_window = Some(*window);
    }
    profile
}
