//! What is known of models at Bedrock by their ids.

use legwork_port::Profile;

use super::id::ModelId;
use crate::prices::shipped;

/// The maker, the beginning of a name, context window, longest answer; the first one that fits
/// counts.
const KNOWN: &[(&str, &str, u64, u64)] = &[
    ("anthropic", "claude-opus-4-1", 200_000, 32_000),
    ("anthropic", "claude-opus-4-2", 200_000, 32_000),
    ("anthropic", "claude-opus-4-5", 200_000, 64_000),
    ("anthropic", "claude-opus-4", 200_000, 128_000),
    ("anthropic", "claude-sonnet-4", 200_000, 64_000),
    ("anthropic", "claude-haiku-4", 200_000, 64_000),
    ("anthropic", "claude-3-7-sonnet", 200_000, 64_000),
    ("anthropic", "claude-3-5", 200_000, 8_192),
    ("anthropic", "claude-3", 200_000, 4_096),
    ("amazon", "nova-2-lite", 1_000_000, 65_535),
    ("amazon", "nova-premier", 1_000_000, 10_000),
    ("amazon", "nova-pro", 300_000, 10_000),
    ("amazon", "nova-lite", 300_000, 10_000),
    ("amazon", "nova-micro", 128_000, 10_000),
    ("openai", "gpt-oss", 128_000, 128_000),
];

/// The profile of a model: a known one, or one that calls tools and sees images.
///
/// The price is that of Bedrock in the shipped [`Prices`](crate::Prices), if it is there.
pub fn of(model: &str) -> Profile {
    let price = shipped().of(&format!("bedrock:{model}")).map(|entry| entry.price);
    let id = ModelId::of(model);
    let is_it = |(maker, begin, ..): &&(&str, &str, u64, u64)| {
        id.maker == *maker && id.name.starts_with(begin)
    };
    let known = KNOWN.iter().find(is_it);
    Profile {
        context_window: known.map(|known| known.2),
        max_output: known.map(|known| known.3),
        price,
        tools: true,
        images: true,
    }
}
