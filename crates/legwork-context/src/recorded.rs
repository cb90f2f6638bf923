//! Which results the journal has an entry for.

use std::collections::BTreeSet;

use legwork_core::chunked::Chunked;
use legwork_core::event::ResultKey;

/// The results that the journal has an entry of a kind for, as far as these were read.
///
/// Those of a path that was left stay in it: no other result ever has their number.
#[derive(Default)]
pub(crate) struct Recorded {
    read: usize,
    last: Option<ResultKey>,
    keys: BTreeSet<ResultKey>,
}

impl Recorded {
    /// The results, with those of the entries that were added since the last call.
    pub(crate) fn with<T>(
        &mut self,
        all: &Chunked<T>,
        key: impl Fn(&T) -> ResultKey,
    ) -> &BTreeSet<ResultKey> {
        let last = self.read.checked_sub(1).and_then(|last| all.get(last)).map(&key);
        if last != self.last {
            self.read = 0;
        }
        self.keys.extend(all.iter_from(self.read).map(&key));
        self.read = all.len();
        self.last = all.last().map(&key);
        &self.keys
    }
}
