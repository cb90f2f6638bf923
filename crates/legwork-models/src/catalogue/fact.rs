//! Facts, and where they were read.

use std::sync::Arc;

/// Where something was read, and when.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Origin {
    /// The page, or what else says it.
    pub source: String,
    /// The day, as `YYYY-MM-DD`; none for what does not age, such as your own settings.
    pub date: Option<String>,
}

impl Origin {
    /// An origin without a day.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), date: None }
    }

    /// The same with the day, as `YYYY-MM-DD`.
    #[must_use]
    pub fn read_on(self, date: impl Into<String>) -> Self {
        Self { date: Some(date.into()), ..self }
    }
}

/// Something that is known, with where it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact<T> {
    /// What is known.
    pub value: T,
    /// Where that was read.
    pub origin: Arc<Origin>,
}

impl<T> Fact<T> {
    /// A fact with its origin.
    pub fn new(value: T, origin: &Arc<Origin>) -> Self {
        Self { value, origin: Arc::clone(origin) }
    }
}
