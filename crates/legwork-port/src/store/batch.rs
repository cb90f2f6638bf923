//! What one append writes.

use std::sync::Arc;

use legwork_core::inbox::Cursor;
use legwork_core::{Entry, Summary};

/// What one append writes, atomically.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Batch<'a> {
    /// The entries, in order.
    pub entries: &'a [Arc<Entry>],
    /// The new summary of the session; none = unchanged.
    ///
    /// Later items of the inbox are numbered after [`Summary::taken`].
    pub summary: Option<&'a Summary>,
    /// The last inbox item that the writer knows of; none = write whatever is in the inbox.
    ///
    /// If the inbox has a later one, nothing is written and the append fails with
    /// [`Error::NewItems`].
    ///
    /// [`Error::NewItems`]: super::Error::NewItems
    pub seen: Option<Cursor>,
}

impl<'a> Batch<'a> {
    /// A batch of entries, without a summary.
    pub fn of(entries: &'a [Arc<Entry>]) -> Self {
        Self { entries, ..Self::default() }
    }

    /// The same with a new summary of the session.
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
