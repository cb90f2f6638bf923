//! Rows as they are written.

use std::sync::Arc;

use legwork_core::budget::{MicroUsd, Price, Prices};
use legwork_port::Ability;
use serde::Deserialize;

use super::error::Error;
use super::fact::{Fact, Origin};
use super::row::Row;

/// The places behind the point that a millionth of a dollar has.
const PLACES: usize = 6;

/// One row as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    model: String,
    context_window: Option<u64>,
    max_output: Option<u64>,
    price: Option<WrittenPrice>,
    #[serde(default)]
    can: Vec<String>,
    #[serde(default)]
    cannot: Vec<String>,
    source: String,
    date: String,
}

/// Prices as they are written: US dollars for a million tokens, as decimals.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPrice {
    input: String,
    cache_read: Option<String>,
    cache_write: Option<String>,
    cache_write_1h: Option<String>,
    output: String,
    #[serde(default)]
    above: Vec<WrittenTier>,
    source: Option<String>,
    date: Option<String>,
}

/// The price of long inputs as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTier {
    input_tokens: u64,
    input: String,
    cache_read: Option<String>,
    cache_write: Option<String>,
    cache_write_1h: Option<String>,
    output: String,
}

/// The rows of a text, each checked when it is taken.
pub(super) fn rows(
    text: &str,
) -> Result<impl IntoIterator<Item = Result<Row, Error>> + use<>, Error> {
    let rows: Vec<Written> = serde_json::from_str(text)
        .map_err(|error| Error::Form { line: error.line(), problem: error.to_string() })?;
    Ok(rows.into_iter().map(row))
}

fn row(written: Written) -> Result<Row, Error> {
    let Written { model, context_window, max_output, price, can, cannot, source, date } = written;
    let origin = Arc::new(origin(&model, source, date)?);
    let mut row = Row::new(model, Arc::clone(&origin))?;
    row.context_window = context_window.map(|tokens| Fact::new(tokens, &origin));
    row.max_output = max_output.map(|tokens| Fact::new(tokens, &origin));
    if let Some(price) = price {
        row.prices = Some(prices(&row.model, price, &origin)?);
    }
    for (name, has_it) in
        can.iter().map(|name| (name, true)).chain(cannot.iter().map(|n| (n, false)))
    {
        let ability: Ability =
            name.parse().map_err(|unknown| Error::Ability { model: row.model.clone(), unknown })?;
        if row.abilities.insert(ability, Fact::new(has_it, &origin)).is_some() {
            return Err(Error::Twice { model: row.model, ability });
        }
    }
    Ok(row)
}

fn origin(model: &str, source: String, date: String) -> Result<Origin, Error> {
    let wrong = |field, text: String, wanted| {
        Err(Error::Origin { model: model.to_owned(), field, text, wanted })
    };
    if source.trim().is_empty() {
        return wrong("source", source, "where it was read");
    }
    match is_date(&date) {
        true => Ok(Origin::new(source).read_on(date)),
        false => wrong("date", date, "when it was read, as YYYY-MM-DD"),
    }
}

fn prices(model: &str, written: WrittenPrice, row: &Arc<Origin>) -> Result<Fact<Prices>, Error> {
    let WrittenPrice { input, cache_read, cache_write, cache_write_1h, output, .. } = &written;
    let caches = [cache_read, cache_write, cache_write_1h];
    let mut prices = Prices::flat(price(model, input, caches, output)?);
    for tier in &written.above {
        let WrittenTier { input, cache_read, cache_write, cache_write_1h, output, .. } = tier;
        let caches = [cache_read, cache_write, cache_write_1h];
        prices = prices.above(tier.input_tokens, price(model, input, caches, output)?);
    }
    let origin = match (written.source, written.date) {
        (None, None) => Arc::clone(row),
        (source, date) => {
            let source = source.unwrap_or_else(|| row.source.clone());
            let date = date.or_else(|| row.date.clone()).unwrap_or_default();
            Arc::new(origin(model, source, date)?)
        }
    };
    Ok(Fact { value: prices, origin })
}

/// A price; one for caches that is not said is that of other input.
fn price(
    model: &str,
    input: &str,
    [cache_read, cache_write, cache_write_1h]: [&Option<String>; 3],
    output: &str,
) -> Result<Price, Error> {
    let hour = cache_write_1h.as_ref().map(|text| amount(model, "cache_write_1h", text));
    let input = amount(model, "input", input)?;
    let or_input = |field, text: &Option<String>| {
        text.as_ref().map_or(Ok(input), |text| amount(model, field, text))
    };
    Ok(Price {
        input,
        cache_read: or_input("cache_read", cache_read)?,
        cache_write: or_input("cache_write", cache_write)?,
        cache_write_hour: hour.transpose()?,
        output: amount(model, "output", output)?,
    })
}

fn amount(model: &str, field: &'static str, text: &str) -> Result<MicroUsd, Error> {
    let wrong = || Error::Amount { model: model.to_owned(), field, text: text.to_owned() };
    micros(text).map(MicroUsd).ok_or_else(wrong)
}

/// Millionths of a dollar, exactly; none for what is not a plain decimal.
fn micros(text: &str) -> Option<u64> {
    let (whole, places) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(places) || places.len() > PLACES {
        return None;
    }
    let places: u64 = format!("{places:0<PLACES$}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(places)
}

/// Whether a text is a day as `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut number = |length: usize, range: std::ops::RangeInclusive<u32>| {
        let part = parts.next().filter(|part| part.len() == length);
        let part = part.filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        part.and_then(|part| part.parse().ok()).is_some_and(|number| range.contains(&number))
    };
    number(4, 2000..=9999) && number(2, 1..=12) && number(2, 1..=31) && parts.next().is_none()
}
