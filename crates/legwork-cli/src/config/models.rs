//! What is known of models: the tables `[models."PROVIDER:NAME"]`.

use std::collections::BTreeMap;

use legwork::core::budget::{MicroUsd, Price, Prices};
use legwork::port::{Abilities, Ability, Support};

use super::document::SEE_KEYS;
use super::item::Item;
use super::key::{OF_MODELS, OF_PRICE, OF_TIER, nearest};
use super::parse::{clipped, in_order, item};
use super::tables::entries;
use super::values::{At, KnownModel};
use crate::error::Error;

const COUNT: &str = "a whole number from 1 on";
const PRICE: &str = "a table such as { input = 0.40, output = 1.60 }";

/// What is known of each model.
pub(super) fn models(outer: &Item<'_>) -> Result<BTreeMap<String, At<KnownModel>>, Error> {
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
        all.insert(model.clone().into_owned(), At { value: known(&table)?, line });
    }
    Ok(all)
}

fn known(table: &Item<'_>) -> Result<KnownModel, Error> {
    let mut known = KnownModel::default();
    for entry in fields(table, &OF_MODELS)? {
        match entry.name.rsplit('.').next().unwrap_or_default() {
            "context_window" => known.context_window = Some(expecting(&entry, COUNT).count()?),
            "max_output" => known.max_output = Some(expecting(&entry, COUNT).count()?),
            "price" => known.prices = Some(prices(&expecting(&entry, PRICE))?),
            "can" => known.abilities = abilities(&entry, known.abilities, Support::Yes)?,
            _ => known.abilities = abilities(&entry, known.abilities, Support::No)?,
        }
    }
    Ok(known)
}

/// The abilities of a list, added to others.
fn abilities(list: &Item<'_>, mut all: Abilities, say: Support) -> Result<Abilities, Error> {
    let expects = "a list of abilities such as [\"tools\", \"images\"]";
    for name in expecting(list, expects).texts()? {
        let text = name.text()?;
        let Ok(ability) = text.parse::<Ability>() else {
            let near = nearest(text, Ability::ALL.map(Ability::name));
            return Err(name.problem(&format!("names no ability: {:?}; {near}", clipped(text))));
        };
        let said = all.of(ability);
        if said != Support::Unknown && said != say {
            return Err(name.problem(&format!("says that it has `{ability}`, and that not")));
        }
        all = match say {
            Support::Yes => all.with(ability),
            _ => all.without(ability),
        };
    }
    Ok(all)
}

/// A price, those of long inputs included.
fn prices(table: &Item<'_>) -> Result<Prices, Error> {
    let entries = fields(table, &OF_PRICE)?;
    let mut prices = Prices::flat(price(table, &entries)?);
    let Some(tiers) = find(&entries, "above") else { return Ok(prices) };
    for tier in expecting(tiers, "a list of such tables with `input_tokens`").tables()? {
        let entries = fields(&tier, &OF_TIER)?;
        let above = find(&entries, "input_tokens").ok_or_else(|| missing(&tier, "input_tokens"))?;
        prices = prices.above(expecting(above, COUNT).count()?, price(&tier, &entries)?);
    }
    Ok(prices)
}

fn price(table: &Item<'_>, entries: &[Item<'_>]) -> Result<Price, Error> {
    let input = amount(entries, "input")?.ok_or_else(|| missing(table, "input"))?;
    let output = amount(entries, "output")?.ok_or_else(|| missing(table, "output"))?;
    Ok(Price {
        input,
        cache_read: amount(entries, "cache_read")?.unwrap_or(input),
        cache_write: amount(entries, "cache_write")?.unwrap_or(input),
        cache_write_hour: amount(entries, "cache_write_1h")?,
        output,
    })
}

fn amount(entries: &[Item<'_>], name: &str) -> Result<Option<MicroUsd>, Error> {
    let Some(entry) = find(entries, name) else { return Ok(None) };
    expecting(entry, "an amount of US dollars such as 0.40").price().map(Some)
}

fn missing(table: &Item<'_>, name: &str) -> Error {
    table.problem(&format!("must have `{name}`"))
}

/// The entries of a table with their whole names.
fn fields<'a>(table: &Item<'a>, known: &[&'static str]) -> Result<Vec<Item<'a>>, Error> {
    let named = |entry: Item<'a>| Item { name: format!("{}.{}", table.name, entry.name), ..entry };
    Ok(entries(table, known)?.into_iter().map(named).collect())
}

fn find<'e, 'a>(entries: &'e [Item<'a>], name: &str) -> Option<&'e Item<'a>> {
    entries.iter().find(|entry| entry.name.rsplit('.').next() == Some(name))
}

fn expecting<'a>(entry: &Item<'a>, expects: &'static str) -> Item<'a> {
    Item { name: entry.name.clone(), at: entry.at.clone(), expects, ..*entry }
}
