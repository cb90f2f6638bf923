//! A range of a journal, as far as it is whole.

use std::sync::Arc;

use legwork_core::entry::Entry;
use legwork_core::{Seq, SessionId};
use legwork_port::store::{Range, Unreadable};

use crate::decode::{Damage, Decoded, End};

/// A range of a journal as far as it is whole and can be read.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) range: Range,
    /// The number of the last entry that was read, be it before the range.
    pub(crate) last: Seq,
    pub(crate) entries: Vec<Arc<Entry>>,
    /// Whether there is more behind the range.
    pub(crate) goes_on: bool,
    pub(crate) damage: Option<Damage>,
    pub(crate) unreadable: Option<Unreadable>,
}

impl Whole {
    /// A range of which nothing was read yet, from after the entry of a number.
    pub(crate) fn from(last: Seq, range: Range) -> Self {
        let (entries, goes_on, damage, unreadable) = (Vec::new(), false, None, None);
        Self { range, last, entries, goes_on, damage, unreadable }
    }

    pub(crate) fn last(&self) -> Seq {
        self.last
    }

    pub(crate) fn is_full(&self) -> bool {
        self.entries.len() >= self.range.limit
    }

    /// Whether what follows was left out.
    pub(crate) fn ends_early(&self) -> bool {
        self.goes_on || self.damage.is_some() || self.unreadable.is_some()
    }
}

impl Whole {
    /// Takes entries up to the end of the range.
    pub(crate) fn take(&mut self, decoded: Vec<Decoded>) {
        for Decoded { entries, end } in decoded {
            for entry in entries {
                if self.is_full() {
                    self.goes_on = true;
                    return;
                }
                self.last = entry.seq;
                if entry.seq > self.range.after {
                    self.entries.push(entry);
                }
            }
            match end {
                None => continue,
                Some(_) if self.is_full() => self.goes_on = true,
                Some(End::Unreadable(unreadable)) => self.unreadable = Some(unreadable),
                Some(End::Damage(damage)) => self.damage = Some(damage),
            }
            return;
        }
    }

    /// What was left out as damaged, in words.
    pub(crate) fn report(&self, session: &SessionId) -> Option<String> {
        let Damage { reason, .. } = self.damage.as_ref()?;
        let last = self.last();
        Some(format!(
            "the journal of session {session} is damaged after entry {last} and read up to \
             there, the next append sets the rest aside: {reason}"
        ))
    }
}
