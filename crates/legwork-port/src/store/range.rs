//! The range of entries of a read.

use legwork_core::Seq;

/// A range of a journal's entries, in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The number of the entry before the range; [`Seq::ZERO`] for the start of the journal.
    pub after: Seq,
    /// The maximum number of entries.
    pub limit: usize,
}

impl Range {
    /// All entries.
    pub const ALL: Self = Self::after(Seq::ZERO);

    /// The entries after this number.
    pub const fn after(seq: Seq) -> Self {
        Self { after: seq, limit: usize::MAX }
    }

    /// The entries up to and including this number.
    pub fn up_to(seq: Seq) -> Self {
        Self::ALL.limit(usize::try_from(seq.0).unwrap_or(usize::MAX))
    }

    /// The same with at most this many entries.
    #[must_use]
    pub const fn limit(self, entries: usize) -> Self {
        Self { limit: entries, ..self }
    }

    /// The range that follows after this many of its entries were read.
    #[must_use]
    pub const fn rest(self, read: usize) -> Self {
        Self { after: Seq(self.after.0.saturating_add(read as u64)), limit: self.limit }
    }
}

impl Default for Range {
    fn default() -> Self {
        Self::ALL
    }
}
