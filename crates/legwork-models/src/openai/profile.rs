//! What is known of models by their names.

use legwork_core::budget::{MicroUsd, Price};
use legwork_port::Profile;

/// Name, context window, longest answer, and the price of a million tokens in
/// micro-USD: input, cached input, output.
///
/// Source: OpenAI's list prices; input and output agree with copies of the list
/// of March 2026, cached input is that of each model's release. Set a profile of
/// your own where money depends on it.
const KNOWN: &[(&str, u64, u64, u64, u64, u64)] = &[
    ("gpt-5", 400_000, 128_000, 1_250_000, 125_000, 10_000_000),
    ("gpt-5-mini", 400_000, 128_000, 250_000, 25_000, 2_000_000),
    ("gpt-5-nano", 400_000, 128_000, 50_000, 5_000, 400_000),
    ("gpt-4.1", 1_047_576, 32_768, 2_000_000, 500_000, 8_000_000),
    ("gpt-4.1-mini", 1_047_576, 32_768, 400_000, 100_000, 1_600_000),
    ("gpt-4.1-nano", 1_047_576, 32_768, 100_000, 25_000, 400_000),
    ("gpt-4o", 128_000, 16_384, 2_500_000, 1_250_000, 10_000_000),
    ("gpt-4o-mini", 128_000, 16_384, 150_000, 75_000, 600_000),
    ("o3", 200_000, 100_000, 2_000_000, 500_000, 8_000_000),
    ("o4-mini", 200_000, 100_000, 1_100_000, 275_000, 4_400_000),
];

/// The profile of a model: a known one, or one that calls tools and no more.
///
/// A dated name, such as `gpt-4o-2024-08-06`, counts as the name before its date.
pub fn of(model: &str) -> Profile {
    let name = undated(model);
    let Some((_, window, most, input, cached, output)) = KNOWN.iter().find(|row| row.0 == name)
    else {
        return Profile { tools: true, ..Profile::default() };
    };
    Profile {
        context_window: Some(*window),
        max_output: Some(*most),
        price: Some(Price {
            input: MicroUsd(*input),
            cache_read: MicroUsd(*cached),
            cache_write: MicroUsd(*input),
            output: MicroUsd(*output),
        }),
        tools: true,
        images: true,
    }
}

fn undated(model: &str) -> &str {
    let digits = |c: char| c.is_ascii_digit() || c == '-';
    let is_date =
        |tail: &str| tail.len() == 11 && tail.starts_with("-20") && tail.chars().all(digits);
    match model.len().checked_sub(11).and_then(|at| model.split_at_checked(at)) {
        Some((name, date)) if is_date(date) => name,
        _ => model,
    }
}
