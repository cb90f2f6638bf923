//! What the journal says of results of tools: their summaries, and what they repeat.

use std::collections::BTreeMap;

use legwork_core::chunked::Chunked;
use legwork_core::event::ResultKey;
use legwork_core::state::Context;

use crate::view::View;

/// Where a state has what is recorded of results, as far as it was read.
#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) summaries: Places,
    pub(crate) comparisons: Places,
}

/// Where the records of a kind are, by the result that they are of.
#[derive(Default)]
pub(crate) struct Places {
    read: usize,
    last: Option<ResultKey>,
    places: BTreeMap<ResultKey, usize>,
}

impl Recorded {
    /// Takes in what was added since the last call.
    pub(crate) fn read(&mut self, facts: &Context) {
        self.summaries.read(&facts.result_summaries, |one| one.result);
        self.comparisons.read(&facts.comparisons, |one| one.result);
    }

    /// Whether what was read is the beginning of what a state has.
    pub(crate) fn is_of(&self, facts: &Context) -> bool {
        self.summaries.is_of(&facts.result_summaries, |one| one.result)
            && self.comparisons.is_of(&facts.comparisons, |one| one.result)
    }
}

impl Places {
    fn read<T>(&mut self, all: &Chunked<T>, key: impl Fn(&T) -> ResultKey) {
        for (place, one) in (self.read..).zip(all.iter_from(self.read)) {
            self.places.insert(key(one), place);
        }
        self.read = all.len();
        self.last = all.last().map(key);
    }

    fn is_of<T>(&self, all: &Chunked<T>, key: impl Fn(&T) -> ResultKey) -> bool {
        let last = self.read.checked_sub(1).and_then(|last| all.get(last));
        self.read <= all.len() && last.map(key) == self.last
    }

    /// Where the last record of a result is.
    pub(crate) fn of(&self, result: ResultKey) -> Option<usize> {
        self.places.get(&result).copied()
    }

    /// The units before an index whose results have records that were added since there were
    /// `since` of them; `new` are the results of these.
    pub(crate) fn late(
        &self,
        view: &mut View,
        before: usize,
        since: usize,
        new: impl Iterator<Item = ResultKey>,
    ) -> Vec<usize> {
        let count = self.read.saturating_sub(since);
        if before == 0 || count == 0 {
            return Vec::new();
        }
        if count < before {
            let mut entries: Vec<_> = new.map(|result| result.entry).collect();
            entries.sort_unstable();
            entries.dedup();
            let found = entries.into_iter().filter_map(|entry| view.position_of_entry(entry));
            return found.filter(|index| *index < before).collect();
        }
        view.visited += before as u64;
        let units = view.units().iter().take(before).enumerate();
        let is_new = |result| self.of(result).is_some_and(|place| place >= since);
        let late = units.filter(|(_, unit)| unit.results().any(|(result, _)| is_new(result)));
        late.map(|(index, _)| index).collect()
    }
}
