//! Numbers and texts as people read them.

use std::time::Duration;

use legwork_core::budget::{Price, Prices};
use legwork_core::tool::ExecutionMode;
use legwork_core::{Budget, EffectClass, Micros, OnDoubt, Timestamp};

/// Each limit of a budget in words, in the order of the dimensions; none = nothing is limited.
pub fn limits(budget: &Budget) -> Vec<String> {
    let count = |number: Option<u64>, one: &str, many: &str| {
        number.map(|n| format!("{} {}", grouped(n), if n == 1 { one } else { many }))
    };
    let words = [
        count(budget.steps, "step", "steps"),
        count(budget.tool_calls, "tool call", "tool calls"),
        count(budget.input_tokens, "input token", "input tokens"),
        count(budget.output_tokens, "output token", "output tokens"),
        count(budget.total_tokens, "token", "tokens"),
        budget.cost.map(|cost| cost.to_string()),
        budget.active_time.map(|time| format!("{} of active time", length(time))),
        budget.deadline.map(|at| format!("until {}", moment(at))),
    ];
    words.into_iter().flatten().collect()
}

/// A number with a comma at each thousand.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A length of time.
pub(super) fn length(time: Micros) -> String {
    let seconds = time.0 / 1_000_000;
    if !time.0.is_multiple_of(1_000_000) {
        return format!("{:.1?}", Duration::from(time));
    }
    match seconds {
        3600.. if seconds.is_multiple_of(3600) => format!("{} h", seconds / 3600),
        60.. if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

/// A point in time, to the second, in UTC.
pub(super) fn moment(at: Timestamp) -> String {
    let seconds = at.0 / 1000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// Year, month and day of a day counted from 1970-01-01; the calendar repeats every
/// 146,097 days, and a year is counted from March, so that a leap day is its last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(month <= 2), month, day)
}

/// What tokens cost.
pub(super) fn prices(prices: &Prices) -> String {
    let tiers = prices.tiers.iter().map(|tier| {
        format!("; {} where the input is longer than {}", price(&tier.price), grouped(tier.above))
    });
    format!("{}{} (per million tokens)", price(&prices.usual), tiers.collect::<String>())
}

fn price(price: &Price) -> String {
    let mut text = format!("{} in, {} out", price.input, price.output);
    if price.cache_read != price.input {
        text.push_str(&format!(", {} from a cache", price.cache_read));
    }
    if price.cache_write != price.input {
        text.push_str(&format!(", {} into a cache", price.cache_write));
    }
    text
}

/// What may be done with a call in doubt.
pub(super) fn effect(effect: EffectClass) -> &'static str {
    match effect {
        EffectClass::ReadOnly => "read only",
        EffectClass::Idempotent => "repeatable",
        EffectClass::Once(OnDoubt::Ask) => "once, in doubt a person is asked",
        EffectClass::Once(OnDoubt::Tell) => "once, in doubt the model is told",
    }
}

/// How a tool runs beside other calls.
pub(super) fn mode(mode: ExecutionMode) -> &'static str {
    match mode {
        ExecutionMode::Sequential => "alone",
        ExecutionMode::ParallelOrdered => "in parallel",
        ExecutionMode::ParallelUnordered => "in parallel, results in any order",
    }
}

/// A text on one line without control characters: what tools say of themselves may come
/// from anywhere.
pub(crate) fn clean(text: &str) -> String {
    let blank = |letter: char| if letter.is_whitespace() { ' ' } else { letter };
    let seen = |letter: &char| !letter.is_control() && !is_invisible(*letter);
    text.chars().map(blank).filter(seen).collect()
}

/// Marks that turn the direction of a text or take no room: they hide what is there.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The beginning of a text, with a mark where there is more.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}...", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
