//! One value of a file, read as what its key expects.

use std::ops::Range;
use std::time::Duration;

use clap::ValueEnum;
use legwork::core::budget::MicroUsd;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::{Document, SEE_KEYS};
use crate::error::Error;

/// One value of a file.
pub(super) struct Item<'a> {
    pub(super) document: &'a Document<'a>,
    /// The whole name, with those of its tables.
    pub(super) name: String,
    /// Where the value stands.
    pub(super) at: Range<usize>,
    pub(super) value: &'a DeValue<'a>,
    /// What it must be, in words.
    pub(super) expects: &'static str,
}

impl<'a> Item<'a> {
    /// Text that is not empty.
    pub(super) fn text(&self) -> Result<&'a str, Error> {
        let DeValue::String(text) = self.value else { return Err(self.wrong()) };
        match text.is_empty() {
            true => Err(self.problem("is empty")),
            false => Ok(text),
        }
    }

    /// A whole number from 1 on.
    pub(super) fn count(&self) -> Result<u64, Error> {
        self.integer().filter(|count| *count > 0).ok_or_else(|| self.wrong())
    }

    /// An amount of US dollars.
    pub(super) fn money(&self) -> Result<MicroUsd, Error> {
        let usd = match self.value {
            DeValue::Float(usd) => usd.as_str().parse().ok(),
            _ => self.integer().and_then(|usd| u32::try_from(usd).ok()).map(f64::from),
        };
        usd.and_then(super::money).ok_or_else(|| self.wrong())
    }

    /// A price in US dollars, which may be nothing.
    pub(super) fn price(&self) -> Result<MicroUsd, Error> {
        let usd = match self.value {
            DeValue::Float(usd) => usd.as_str().parse().ok(),
            _ => self.integer().and_then(|usd| u32::try_from(usd).ok()).map(f64::from),
        };
        let usd = usd.filter(|usd: &f64| usd.is_finite() && (0.0..=1e6).contains(usd));
        usd.map(MicroUsd::from_usd).ok_or_else(|| self.wrong())
    }

    /// A length of time.
    pub(super) fn duration(&self) -> Result<Duration, Error> {
        super::duration(self.text()?).map_err(|_| self.wrong_text())
    }

    /// A size in bytes.
    pub(super) fn bytes(&self) -> Result<u64, Error> {
        super::bytes(self.text()?).map_err(|_| self.wrong_text())
    }

    /// A length of time that limits something.
    pub(super) fn time_limit(&self) -> Result<Duration, Error> {
        super::time_limit(self.text()?).map_err(|_| self.wrong_text())
    }

    fn integer(&self) -> Option<u64> {
        let DeValue::Integer(integer) = self.value else { return None };
        u64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    /// One of a flag's names.
    pub(super) fn one_of<T: ValueEnum>(&self) -> Result<T, Error> {
        let text = self.text()?;
        T::from_str(text, false).map_err(|_| self.problem(&super::is_none_of::<T>(text)))
    }

    /// A list of texts.
    pub(super) fn texts(&self) -> Result<Vec<Self>, Error> {
        let DeValue::Array(items) = self.value else { return Err(self.wrong()) };
        let all: Vec<_> = items.iter().map(|item| self.within(item)).collect();
        match all.iter().find(|item| !matches!(item.value, DeValue::String(_))) {
            Some(other) => Err(other.wrong()),
            None => Ok(all),
        }
    }

    /// A list of tables.
    pub(super) fn tables(&self) -> Result<Vec<Self>, Error> {
        let DeValue::Array(items) = self.value else { return Err(self.wrong()) };
        Ok(items.iter().map(|item| self.within(item)).collect())
    }

    fn within(&self, item: &'a Spanned<DeValue<'a>>) -> Self {
        Self { name: self.name.clone(), at: item.span(), value: item.get_ref(), ..*self }
    }

    /// A table.
    pub(super) fn table(&self) -> Result<&'a DeTable<'a>, Error> {
        match self.value {
            DeValue::Table(table) => Ok(table),
            _ => Err(self.wrong()),
        }
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    /// The value is not what it must be; it is not shown, for it may be a secret.
    pub(super) fn wrong(&self) -> Error {
        let kind = match self.value {
            DeValue::String(_) => "text",
            DeValue::Integer(_) => "this number",
            DeValue::Float(_) => "a number with a fraction",
            DeValue::Boolean(_) => "a truth value",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let kind = match self.value {
            DeValue::Float(_) if self.expects.starts_with("an amount") => "this number",
            _ => kind,
        };
        self.problem(&format!("must be {}, not {kind}", self.expects))
    }

    /// It is text, but not such as it must be.
    pub(super) fn wrong_text(&self) -> Error {
        self.problem(&format!("must be {}", self.expects))
    }

    /// Something else is wrong with it.
    pub(super) fn problem(&self, is: &str) -> Error {
        self.document.problem(&self.at, &format!("`{}` {is}", self.name), SEE_KEYS)
    }
}
