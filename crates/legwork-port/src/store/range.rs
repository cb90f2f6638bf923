//! Which entries of a journal are read.

use legwork_core::Seq;

/// A range of a journal's entries, in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The entry before the first of the range; [`Seq::ZERO`] for the start of the journal.
    pub after: Seq,
    /// How many entries it has at most.
    pub limit: usize,
}

impl Range {
    /// All entries.
    pub const ALL: Self = Self::after(Seq::ZERO);

    /// The entries after the one of a number.
    pub const fn after(seq: Seq) -> Self {
        Self { after: seq, limit: usize::MAX }
    }

    /// The entries up to the one of a number, with it.
    pub fn up_to(seq: Seq) -> Self {
        Self::ALL.limit(usize::try_from(seq.0).unwrap_or(usize::MAX))
    }

    /// The same with so many entries at most.
    #[must_use]
    pub const fn limit(self, entries: usize) -> Self {
        Self { limit: entries, ..self }
    }

    /// The range that follows this one once so many of its entries were read.
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
