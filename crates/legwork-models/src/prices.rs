//! What tokens of models cost: a shipped table, and the user's own.
//!
//! The shipped table holds few models, each with the page that its price was read on and
//! the date. Prices change: where money depends on one, give your own.

mod error;
mod row;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use legwork_core::budget::PriceEntry;

pub use error::Error;
use row::Row;

const SHIPPED: &str = include_str!("prices/shipped.json");

/// Prices of models by their names; of two for one model the later one counts.
///
/// ```
/// use legwork_models::Prices;
///
/// let own = Prices::from_json(
///     r#"[{"model": "acme:clerk-1", "input": "0.40", "cache_read": "0.04",
///          "output": "1.60", "source": "our contract", "date": "2026-11-22"}]"#,
/// )?;
/// let prices = Prices::shipped().and(own);
/// assert_eq!(prices.of("acme:clerk-1").unwrap().price.output.to_string(), "$1.60");
/// assert!(prices.of("openai:gpt-5-mini-2025-08-07").is_some());
/// # Ok::<(), legwork_models::prices::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prices(BTreeMap<String, PriceEntry>);

impl Prices {
    /// A table without prices.
    pub fn none() -> Self {
        Self::default()
    }

    /// The table of prices that ships with the crate.
    pub fn shipped() -> Self {
        shipped().clone()
    }

    /// The prices of a text in the form of the shipped table.
    ///
    /// That is a JSON array with an object a model: `model` as `provider:name`; `input`,
    /// `output`, and where they differ from `input` also `cache_read` and `cache_write`,
    /// in US dollars for a million tokens, as decimal strings of at most six places;
    /// `source` and `date` (`YYYY-MM-DD`), where and when the price was read.
    ///
    /// # Errors
    /// The first thing that is wrong with it, with the model concerned.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let rows: Vec<Row> = serde_json::from_str(text)
            .map_err(|error| Error::Form { line: error.line(), problem: error.to_string() })?;
        rows.into_iter().map(Row::entry).try_fold(Self::none(), |all, entry| Ok(all.with(entry?)))
    }

    /// The same with one more price, in place of a former one of that model.
    #[must_use]
    pub fn with(mut self, entry: PriceEntry) -> Self {
        self.0.insert(entry.model.clone(), entry);
        self
    }

    /// The same with all prices of another table, in place of former ones.
    #[must_use]
    pub fn and(mut self, later: Self) -> Self {
        self.0.extend(later.0);
        self
    }

    /// The price of a model, named as `provider:name`.
    ///
    /// The very name counts first. Then a dated name counts as the name before its date:
    /// `-2025-08-07` or `-20250807` at its end. Names are case-sensitive.
    pub fn of(&self, model: &str) -> Option<&PriceEntry> {
        self.0.get(model).or_else(|| self.0.get(undated(model)?))
    }

    /// All prices, by the names of their models.
    pub fn iter(&self) -> impl Iterator<Item = &PriceEntry> {
        self.0.values()
    }
}

/// The table that ships, read once.
pub(crate) fn shipped() -> &'static Prices {
    // A test reads every row of it: an error cannot reach a user.
    static READ: LazyLock<Prices> =
        LazyLock::new(|| Prices::from_json(SHIPPED).unwrap_or_default());
    &READ
}

/// A name without the date at its end, if it has one.
pub(crate) fn undated(model: &str) -> Option<&str> {
    let dated = |form: &str| {
        let (name, end) = model.split_at_checked(model.len().checked_sub(form.len())?)?;
        let fits =
            |(c, form): (char, char)| if form == '0' { c.is_ascii_digit() } else { c == form };
        let is_date = end.len() == form.len() && end.chars().zip(form.chars()).all(fits);
        is_date.then_some(name)
    };
    dated("-2000-00-00").or_else(|| dated("-20000000"))
}
