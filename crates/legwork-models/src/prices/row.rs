//! One price as it is written.

use legwork_core::budget::{MicroUsd, Price, PriceEntry};
use serde::Deserialize;

use super::error::Error;

/// The places behind the point that a millionth of a dollar has.
const PLACES: usize = 6;

/// One price as it is written: US dollars for a million tokens, as decimals.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) model: String,
    input: String,
    cache_read: Option<String>,
    cache_write: Option<String>,
    output: String,
    source: String,
    date: String,
}

impl Row {
    /// The same, checked; a price for caches that is not said is that of other input.
    pub(super) fn entry(self) -> Result<PriceEntry, Error> {
        let named = self.model.split_once(':');
        if named.is_none_or(|(provider, name)| provider.is_empty() || name.is_empty()) {
            return Err(Error::Model { model: self.model });
        }
        let origin = |field, text: &str, wanted| Error::Origin {
            model: self.model.clone(),
            field,
            text: text.to_owned(),
            wanted,
        };
        if self.source.trim().is_empty() {
            return Err(origin("source", &self.source, "where it was read"));
        }
        if !is_date(&self.date) {
            return Err(origin("date", &self.date, "when it was read, as YYYY-MM-DD"));
        }
        let amount = |field, text: &str| {
            let bad = || Error::Amount { model: self.model.clone(), field, text: text.to_owned() };
            micros(text).map(MicroUsd).ok_or_else(bad)
        };
        let input = amount("input", &self.input)?;
        let or_input = |field, text: &Option<String>| {
            text.as_ref().map_or(Ok(input), |text| amount(field, text))
        };
        let price = Price {
            input,
            cache_read: or_input("cache_read", &self.cache_read)?,
            cache_write: or_input("cache_write", &self.cache_write)?,
            output: amount("output", &self.output)?,
        };
        Ok(PriceEntry { model: self.model, price, source: self.source, date: self.date })
    }
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
