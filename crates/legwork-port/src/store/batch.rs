//! What one append writes.

use std::sync::Arc;

use legwork_core::inbox::Cursor;
use legwork_core::{Entry, Summary};

/// What one append writes, all of it at one moment.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Batch<'a> {
    /// The entries.
    pub entries: &'a [Arc<Entry>],
    /// What lists say of the session from now on; none = what they said before.
    pub summary: Option<&'a Summary>,
    /// The last inbox item that the writer knows of: where there is a later one, nothing is
    /// written and the append fails with [`Error::NewItems`]. None = whatever the inbox has.
    ///
    /// [`Error::NewItems`]: super::Error::NewItems
    pub seen: Option<Cursor>,
}

impl<'a> Batch<'a> {
    /// Entries alone.
    pub fn of(entries: &'a [Arc<Entry>]) -> Self {
        Self { entries, ..Self::default() }
    }

    /// The same with what lists say of the session from now on.
    #[must_use]
    pub fn with_summary(self, summary: &'a Summary) -> Self {
        Self { summary: Some(summary), ..self }
    }

    /// The same, written only if the inbox has no item after this one.
    #[must_use]
    pub fn if_seen(self, last: Cursor) -> Self {
        Self { seen: Some(last), ..self }
    }
}
