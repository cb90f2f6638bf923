//! What models cost: the tables `[prices."PROVIDER:NAME"]`.

use std::collections::BTreeMap;

use legwork::core::budget::{MicroUsd, Price};

use super::document::SEE_KEYS;
use super::item::Item;
use super::key::OF_PRICES;
use super::parse::{clipped, in_order, item};
use super::tables::entries;
use super::values::At;
use crate::error::Error;

/// What each model costs.
pub(super) fn prices(outer: &Item<'_>) -> Result<BTreeMap<String, At<Price>>, Error> {
    let mut all = BTreeMap::new();
    for (name, value) in in_order(outer.table()?) {
        let model = name.get_ref();
        let whole = format!("{}.\"{}\"", outer.name, clipped(model));
        let named = model.split_once(':');
        if named.is_none_or(|(provider, name)| provider.is_empty() || name.is_empty()) {
            let message = format!("`{whole}` is no model: name it as \"PROVIDER:NAME\", in quotes");
            return Err(outer.document.problem(&name.span(), &message, SEE_KEYS));
        }
        let line = outer.document.line(name.span().start);
        let table = item(outer.document, whole, value, outer.expects);
        all.insert(model.clone().into_owned(), At { value: price(&table)?, line });
    }
    Ok(all)
}

fn price(table: &Item<'_>) -> Result<Price, Error> {
    let entries = entries(table, &OF_PRICES)?;
    let of = |name: &str| -> Result<Option<MicroUsd>, Error> {
        let Some(entry) = entries.iter().find(|entry| entry.name == name) else { return Ok(None) };
        let whole = Item {
            name: format!("{}.{name}", table.name),
            at: entry.at.clone(),
            expects: "an amount of US dollars such as 0.40",
            ..*entry
        };
        whole.price().map(Some)
    };
    let missing = |name: &str| table.problem(&format!("must have `{name}`"));
    let input = of("input")?.ok_or_else(|| missing("input"))?;
    let output = of("output")?.ok_or_else(|| missing("output"))?;
    let cache_read = of("cached")?.unwrap_or(input);
    Ok(Price { input, cache_read, cache_write: input, output })
}
