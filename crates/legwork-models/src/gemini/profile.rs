//! What is known of models by their names.

use legwork_port::Profile;

use crate::prices::{shipped, undated};

/// Name, context window, longest answer.
const KNOWN: &[(&str, u64, u64)] = &[
    ("gemini-3-pro-preview", 1_048_576, 65_536),
    ("gemini-3-flash-preview", 1_048_576, 65_536),
    ("gemini-2.5-pro", 1_048_576, 65_536),
    ("gemini-2.5-flash", 1_048_576, 65_536),
    ("gemini-2.5-flash-lite", 1_048_576, 65_536),
    ("gemini-2.0-flash", 1_048_576, 8_192),
    ("gemini-2.0-flash-lite", 1_048_576, 8_192),
];

/// The profile of a model: a known one, or one that calls tools and no more.
///
/// The price is that of `google` in the shipped [`Prices`](crate::Prices), if it is there: it
/// changes, so give your own where money depends on it.
pub fn of(model: &str) -> Profile {
    let price = shipped().of(&format!("google:{model}")).map(|entry| entry.price);
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
