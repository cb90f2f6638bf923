//! What is known of models: limits, prices and abilities, as data.
//!
//! The shipped rows name the page that each fact was read on, and the day. They change: where
//! money depends on one, give your own. What is not recorded is unknown, which is not *no*.
//! Read in this order: this module, `row`, `fact`, `name` (which rows are of a model), `form`
//! (rows as JSON).

mod error;
mod fact;
mod form;
mod name;
mod row;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::LazyLock;

#[cfg(feature = "embeddings")]
pub(crate) use name::undated;

pub use error::Error;
pub use fact::{Fact, Origin};
pub use row::Row;

const SHIPPED: &str = include_str!("shipped.json");

/// What is known of models, by their names.
///
/// ```
/// use legwork_models::catalogue::{Catalogue, Origin, Row};
/// use legwork_port::{Ability, Support};
///
/// let row = Row::new("acme:clerk-1", Origin::new("our contract"))?
///     .with_context_window(64_000)
///     .with(Ability::Tools);
/// let catalogue = Catalogue::shipped().with(row);
/// let clerk = catalogue.of("acme:clerk-1").unwrap().profile();
/// assert_eq!(clerk.context_window, Some(64_000));
/// assert_eq!(clerk.supports(Ability::Images), Support::Unknown);
/// assert!(catalogue.of("openai:gpt-5-mini-2025-08-07").unwrap().prices.is_some());
/// # Ok::<(), legwork_models::catalogue::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalogue(BTreeMap<String, Row>);

impl Catalogue {
    /// A catalogue without rows.
    pub fn none() -> Self {
        Self::default()
    }

    /// The catalogue that ships with the crate.
    pub fn shipped() -> Self {
        shipped().clone()
    }

    /// The rows of a text in the form of the shipped catalogue.
    ///
    /// That is a JSON array with an object a row: `model` as `provider:name`, or the beginning of
    /// names with `*` at its end; `context_window` and `max_output` in tokens; `price`; `can` and
    /// `cannot`, lists of names of [abilities](legwork_port::Ability); `source` and `date`
    /// (`YYYY-MM-DD`), where and when that was read. All but the name and the origin may be left
    /// out.
    ///
    /// A price has `input`, `output`, and where they differ from `input` also `cache_read` and
    /// `cache_write`, in US dollars for a million tokens, as decimal strings of at most six places;
    /// `cache_write_1h` for caches that keep an hour; `above`, a list of other prices with the
    /// `input_tokens` that a request has more of; and a `source` and a `date` of its own, if it
    /// was read elsewhere.
    ///
    /// # Errors
    /// The first thing that is wrong with it, with the model concerned.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        form::rows(text)?.into_iter().try_fold(Self::none(), |all, row| Ok(all.with(row?)))
    }

    /// The same with one more row; what it says counts before what a row of that name said.
    #[must_use]
    pub fn with(mut self, row: Row) -> Self {
        let row = match self.0.remove(&row.model) {
            Some(former) => row.over(&former),
            None => row,
        };
        self.0.insert(row.model.clone(), row);
        self
    }

    /// The same with all rows of another catalogue, which count before those of this one.
    #[must_use]
    pub fn and(self, later: Self) -> Self {
        later.0.into_values().fold(self, Self::with)
    }

    /// What is known of a model, named as `provider:name`; none if no row is of it.
    ///
    /// The row of the very name counts first. Then a dated name counts as the name before its
    /// date: `-2025-08-07` or `-20250807` at its end. Then come the rows of beginnings, the
    /// longest first. What a row does not say, the next one may. Names are case-sensitive.
    pub fn of(&self, model: &str) -> Option<Row> {
        let mut rows = self.rows_of(model);
        let mut first = rows.next()?.clone();
        model.clone_into(&mut first.model);
        Some(rows.fold(first, |row, next| row.over(next)))
    }

    fn rows_of(&self, model: &str) -> impl Iterator<Item = &Row> {
        let undated = name::undated(model);
        let exact = [Some(model), undated].into_iter().flatten();
        let beginnings = self.0.values().filter(|row| name::is_in(model, &row.model));
        let mut beginnings: Vec<_> = beginnings.collect();
        beginnings.sort_by_key(|row| std::cmp::Reverse(row.model.len()));
        exact.filter_map(|name| self.0.get(name)).chain(beginnings)
    }

    /// All rows, by the names of their models.
    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        self.0.values()
    }
}

/// The catalogue that ships, read once.
pub(crate) fn shipped() -> &'static Catalogue {
    // A test reads every row of it: an error cannot reach a user.
    static READ: LazyLock<Catalogue> =
        LazyLock::new(|| Catalogue::from_json(SHIPPED).unwrap_or_default());
    &READ
}
