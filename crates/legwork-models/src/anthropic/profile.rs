//! What is known of Anthropic's models by their names.

use legwork_port::Profile;

use crate::prices::{shipped, undated};

/// The beginning of a name, context window, longest answer; the first one that fits counts.
const KNOWN: &[(&str, u64, u64)] = &[
    ("claude-opus-4-1", 200_000, 32_000),
    ("claude-opus-4-0", 200_000, 32_000),
    ("claude-opus-4-2", 200_000, 32_000),
    ("claude-opus-4-5", 200_000, 64_000),
    ("claude-opus-4", 200_000, 128_000),
    ("claude-sonnet-4", 200_000, 64_000),
    ("claude-haiku-4", 200_000, 64_000),
    ("claude-3-7-sonnet", 200_000, 64_000),
    ("claude-3-5", 200_000, 8_192),
    ("claude-3", 200_000, 4_096),
];

/// The profile of a model: a known one, or one that calls tools and sees images.
///
/// The price is that of Anthropic in the shipped [`Prices`](crate::Prices), if it is there.
pub fn of(model: &str) -> Profile {
    let price = shipped().of(&format!("anthropic:{model}")).map(|entry| entry.price);
    let name = undated(model).unwrap_or(model);
    let known = KNOWN.iter().find(|(begin, ..)| name.starts_with(begin));
    Profile {
        context_window: known.map(|known| known.1),
        max_output: known.map(|known| known.2),
        price,
        tools: true,
        images: true,
    }
}
