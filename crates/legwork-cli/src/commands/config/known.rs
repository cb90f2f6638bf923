//! What the user says of a model, as it is written in a file.

use legwork::core::budget::{MicroUsd, Price, Prices};
use legwork::port::{Ability, Support};
use serde_json::{Map, Value, json};

use crate::config::KnownModel;

/// What is said of a model, by the keys of its table.
pub(super) fn as_json(known: &KnownModel) -> Value {
    let KnownModel { context_window, max_output, prices, abilities } = known;
    let names = |support| {
        let names: Vec<_> = abilities.that_are(support).map(Ability::name).collect();
        (!names.is_empty()).then(|| json!(names))
    };
    let entries = [
        ("context_window", context_window.map(Value::from)),
        ("max_output", max_output.map(Value::from)),
        ("price", prices.as_ref().map(of_prices)),
        ("can", names(Support::Yes)),
        ("cannot", names(Support::No)),
    ];
    let said = entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(said.collect())
}

fn of_prices(prices: &Prices) -> Value {
    let mut all = of_price(&prices.usual);
    if !prices.tiers.is_empty() {
        let tiers = prices.tiers.iter().map(|tier| {
            let mut entry = of_price(&tier.price);
            entry.insert("input_tokens".to_owned(), tier.above.into());
            Value::Object(entry)
        });
        all.insert("above".to_owned(), tiers.collect());
    }
    Value::Object(all)
}

fn of_price(price: &Price) -> Map<String, Value> {
    let amounts = [
        ("input", Some(price.input)),
        ("output", Some(price.output)),
        ("cache_read", Some(price.cache_read)),
        ("cache_write", Some(price.cache_write)),
        ("cache_write_1h", price.cache_write_hour),
    ];
    let known = amounts.into_iter().filter_map(|(key, amount)| Some((key, amount?)));
    known.map(|(key, amount)| (key.to_owned(), in_dollars(amount))).collect()
}

/// Exact: what is written is the shortest text of the same number.
#[expect(clippy::cast_precision_loss, reason = "prices are small numbers")]
fn in_dollars(price: MicroUsd) -> Value {
    (price.0 as f64 / 1e6).into()
}
