//! Texts in as many requests as a provider wants.

use legwork_core::budget::LEAST_BYTES_PER_TOKEN;

use super::Quirks;
use crate::bounds::Bounds;

/// Numbers of a vector where they are not known.
const DIMENSIONS: usize = 4_096;

/// Bytes of a number in JSON, rather more.
const NUMBER_BYTES: usize = 24;

/// Bytes of a number in base64, rather more.
const BASE64_BYTES: usize = 6;

/// Bytes around a vector in an answer, rather more.
const FRAME_BYTES: usize = 128;

/// The texts of each request, in order: no more than the provider takes at once, and than an
/// answer within the bounds can hold.
pub(crate) fn batches<'t>(
    texts: &'t [String],
    dimensions: Option<u32>,
    quirks: &Quirks,
    bounds: &Bounds,
) -> impl Iterator<Item = &'t [String]> {
    let most = quirks.texts.min(fitting(dimensions, quirks, bounds)).max(1);
    let tokens = quirks.tokens.unwrap_or(u64::MAX);
    let mut rest = texts;
    std::iter::from_fn(move || {
        let (batch, after) = rest.split_at_checked(first(rest, most, tokens))?;
        rest = after;
        (!batch.is_empty()).then_some(batch)
    })
}

/// How many texts the first batch has.
fn first(texts: &[String], most: usize, tokens: u64) -> usize {
    let mut sum = 0_u64;
    let fits = |text: &&String| {
        sum = sum.saturating_add(estimate(text));
        sum <= tokens
    };
    let count = texts.iter().take(most).take_while(fits).count();
    // One that is too long by itself is refused by the provider, who knows better.
    count.max(1).min(texts.len())
}

/// The tokens of a text, rather more.
fn estimate(text: &str) -> u64 {
    (text.len() as u64).div_ceil(LEAST_BYTES_PER_TOKEN).max(1)
}

/// How many vectors an answer within the bounds can hold.
fn fitting(dimensions: Option<u32>, quirks: &Quirks, bounds: &Bounds) -> usize {
    let numbers = dimensions.and_then(|count| count.try_into().ok()).unwrap_or(DIMENSIONS);
    let each = if quirks.base64 { BASE64_BYTES } else { NUMBER_BYTES };
    bounds.answer_bytes / numbers.saturating_mul(each).saturating_add(FRAME_BYTES)
}
