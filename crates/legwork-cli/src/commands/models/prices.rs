//! What models cost, as it is shown.

use legwork::core::budget::{MicroUsd, Price, Prices};
use legwork::model::catalogue::{Fact, Origin};
use serde_json::{Map, Value, json};

use crate::display::text::grouped;

/// A price in one line, and whether it changes.
pub(super) fn in_short(prices: &Fact<Prices>) -> String {
    let mut line = format!("{} a million", in_and_out(&prices.value.usual));
    if let Some(tier) = prices.value.tiers.first() {
        line.push_str(&format!(", other above {}", grouped(tier.above)));
    }
    format!("{line} ({})", read(&prices.origin))
}

/// Where a fact was read: of the shipped catalogue its day says it.
pub(super) fn read(origin: &Origin) -> String {
    match &origin.date {
        Some(date) => format!("shipped, of {date}"),
        None => origin.source.clone(),
    }
}

/// The price of input and output.
pub(super) fn in_and_out(price: &Price) -> String {
    format!("{} in, {} out", price.input, price.output)
}

/// The price of what is read from and written to caches.
pub(super) fn of_caches(price: &Price) -> String {
    let hour =
        price.cache_write_hour.map(|hour| format!(", {hour} for an hour")).unwrap_or_default();
    format!("{} read, {} written{hour}", price.cache_read, price.cache_write)
}

/// All prices of a model with where they were read, in US dollars.
pub(super) fn as_json(prices: &Fact<Prices>) -> Value {
    let mut all = amounts(&prices.value.usual);
    let tiers = prices.value.tiers.iter().map(|tier| {
        let mut amounts = amounts(&tier.price);
        amounts.insert("input_tokens".to_owned(), tier.above.into());
        Value::Object(amounts)
    });
    all.insert("above".to_owned(), tiers.collect());
    all.insert("source".to_owned(), prices.origin.source.clone().into());
    all.insert("date".to_owned(), json!(prices.origin.date));
    Value::Object(all)
}

fn amounts(price: &Price) -> Map<String, Value> {
    let named = [
        ("input_usd", Some(price.input)),
        ("output_usd", Some(price.output)),
        ("cache_read_usd", Some(price.cache_read)),
        ("cache_write_usd", Some(price.cache_write)),
        ("cache_write_1h_usd", price.cache_write_hour),
    ];
    let known = named.into_iter().filter_map(|(name, amount)| Some((name, amount?)));
    known.map(|(name, amount)| (name.to_owned(), dollars(amount))).collect()
}

/// Exact: what is written is the shortest text of the same number.
#[expect(clippy::cast_precision_loss, reason = "prices are small numbers")]
fn dollars(price: MicroUsd) -> Value {
    (price.0 as f64 / 1e6).into()
}
