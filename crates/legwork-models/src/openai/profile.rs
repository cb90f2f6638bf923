//! What is known of models by their names.

use legwork_port::Profile;

use crate::prices::{shipped, undated};

/// Name, context window, longest answer.
const KNOWN: &[(&str, u64, u64)] = &[
    ("gpt-5.1", 400_000, 128_000),
    ("gpt-5", 400_000, 128_000),
    ("gpt-5-mini", 400_000, 128_000),
    ("gpt-5-nano", 400_000, 128_000),
    ("gpt-4.1", 1_047_576, 32_768),
    ("gpt-4.1-mini", 1_047_576, 32_768),
    ("gpt-4.1-nano", 1_047_576, 32_768),
    ("gpt-4o", 128_000, 16_384),
    ("gpt-4o-mini", 128_000, 16_384),
    ("o3", 200_000, 100_000),
    ("o4-mini", 200_000, 100_000),
];

/// The profile of a model: a known one, or one that calls tools and no more.
///
/// A dated name, such as `gpt-4o-2024-08-06`, counts as the name before its date. The
/// price is that of OpenAI in the shipped [`Prices`](crate::Prices): it changes, so give
/// your own where money depends on it.
pub fn of(model: &str) -> Profile {
    let price = shipped().of(&format!("openai:{model}")).map(|entry| entry.price);
    let name = undated(model).unwrap_or(model);
    let Some((_, window, most)) = KNOWN.iter().find(|row| row.0 == name) else {
        return Profile { price, tools: true, ..Profile::default() };
    };
    Profile {
        context_window: Some(*window),
        max_output: Some(*most),
        price,
        tools: true,
        images: true,
    }
}
