//! A conversation as far as a transform has made it, unit by unit.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use crate::unit::Unit;

/// A conversation as one transform leaves it, oldest first.
///
/// A transform changes it through methods that take whole units, so that no call parts from its
/// result, and that refuse to leave out or shorten what is held ([`Unit::is_held`]).
#[derive(Default)]
pub struct View {
    units: Vec<Unit>,
    weight: u64,
    /// The lowest index that changed of what was there before the last call.
    changed: Option<usize>,
    /// What the transform remembers; shared with a copy that was made since.
    memory: Option<Arc<dyn Any + Send + Sync>>,
    /// How many units were looked at or moved.
    pub(crate) visited: u64,
}

impl View {
    /// The units, oldest first.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The unit at an index.
    pub fn get(&self, index: usize) -> Option<&Unit> {
        self.units.get(index)
    }

    /// How many units there are.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// An estimate of what a model reads of it, in bytes of text.
    pub fn weight(&self) -> u64 {
        self.weight
    }

    /// The index of the unit with an ordinal, if it is still there.
    pub fn position(&self, ordinal: usize) -> Option<usize> {
        self.units.binary_search_by_key(&ordinal, Unit::ordinal).ok()
    }

    /// The index of the unit of an entry, searched from the end, if it is still there.
    pub fn position_of_entry(&mut self, entry: legwork_core::Seq) -> Option<usize> {
        let found = self.units.iter().rposition(|unit| unit.entry() == entry);
        self.visited += (self.units.len() - found.unwrap_or(0)) as u64;
        found
    }

    /// Leaves out the units of a range, except those that are held; returns how many.
    pub fn remove(&mut self, range: Range<usize>) -> usize {
        let range = range.start.min(self.len())..range.end.min(self.len());
        if range.is_empty() {
            return 0;
        }
        self.remove_those(range, |_, unit| !unit.is_held())
    }

    /// Puts a shorter unit in the place of one; false if that one is held, or if the other is
    /// not made of it.
    pub fn shorten(&mut self, index: usize, unit: Unit) -> bool {
        self.get(index).is_some_and(|old| !old.is_held()) && self.mask(index, unit)
    }

    /// Puts a unit with other texts in the place of one, also of one that is held; false if the
    /// other is not made of it, or lacks calls of one that is held.
    pub fn mask(&mut self, index: usize, unit: Unit) -> bool {
        let Some(old) = self.units.get_mut(index) else { return false };
        let is_whole = old.count() == unit.count() || !old.is_held();
        if (old.ordinal(), old.entry()) != (unit.ordinal(), unit.entry()) || !is_whole {
            return false;
        }
        self.weight = self.weight.saturating_sub(old.weight()) + unit.weight();
        self.visited += 1;
        *old = unit;
        self.note(index);
        true
    }

    /// Leaves out the oldest units before `end`, as long as `more` asks for it; returns how
    /// many. The last unit before `end`, the last one that a user said and the last one that
    /// opens a turn stay, as does all that is held.
    pub fn remove_oldest(&mut self, end: usize, mut more: impl FnMut(&Unit) -> bool) -> usize {
        let end = end.min(self.len());
        let Some(last) = end.checked_sub(1) else { return 0 };
        let before = self.units.get(..end).unwrap_or_default();
        let user = before.iter().rposition(Unit::is_user);
        let opening = before.iter().rposition(Unit::opens_turn);
        self.visited += end as u64;
        self.remove_those(0..last, |index, unit| {
            !unit.is_held() && Some(index) != user && Some(index) != opening && more(unit)
        })
    }

    fn remove_those(
        &mut self,
        range: Range<usize>,
        mut goes: impl FnMut(usize, &Unit) -> bool,
    ) -> usize {
        let (mut first, mut index, count) = (None, range.start, self.units.len());
        let mut stay = Vec::new();
        for unit in self.units.get(range.clone()).unwrap_or_default() {
            match goes(index, unit) {
                true => {
                    first.get_or_insert(index);
                    self.weight = self.weight.saturating_sub(unit.weight());
                }
                false => stay.push(unit.clone()),
            }
            index += 1;
        }
        let Some(first) = first else { return 0 };
        self.units.splice(range, stay);
        self.visited += (self.units.len() - first) as u64;
        self.note(first);
        count - self.units.len()
    }

    fn note(&mut self, index: usize) {
        self.changed = Some(self.changed.map_or(index, |before| before.min(index)));
    }

    /// Takes what the transform remembers of this conversation; give it back with
    /// [`keep`](Self::keep). It is empty before the first call and before each rebuild.
    ///
    /// When units that were taken in have changed, it is what was kept before they came: then it
    /// is cloned.
    pub fn memory<M: Default + Clone + Send + Sync + 'static>(&mut self) -> M {
        let memory = self.memory.take().and_then(|memory| memory.downcast::<M>().ok());
        memory.map_or_else(M::default, Arc::unwrap_or_clone)
    }

    /// Keeps what the transform remembers until the next call.
    pub fn keep<M: Send + Sync + 'static>(&mut self, memory: M) {
        self.memory = Some(Arc::new(memory));
    }

    /// Appends units; returns their range.
    pub(crate) fn append(&mut self, units: &[Unit]) -> Range<usize> {
        let from = self.len();
        self.weight += units.iter().map(Unit::weight).sum::<u64>();
        self.visited += units.len() as u64;
        self.units.extend_from_slice(units);
        self.changed = None;
        from..self.len()
    }

    /// Begins anew with other units and without memory; returns those of before.
    pub(crate) fn restart(&mut self, units: &[Unit]) -> Vec<Unit> {
        let before = std::mem::take(&mut self.units);
        (self.weight, self.memory) = (0, None);
        self.append(units);
        before
    }

    /// The same units and memory.
    pub(crate) fn copy(&mut self) -> Self {
        self.visited += self.units.len() as u64;
        let (units, memory) = (self.units.clone(), self.memory.clone());
        Self { units, weight: self.weight, changed: None, memory, visited: 0 }
    }

    /// Takes its units out of it.
    pub(crate) fn take_units(&mut self) -> Vec<Unit> {
        std::mem::take(&mut self.units)
    }

    /// Takes units of before where they say the same, so that their messages stay the same in
    /// memory; returns the index of the first that is another one.
    pub(crate) fn reuse(&mut self, before: &[Unit]) -> usize {
        let mut old = before.iter().peekable();
        for unit in &mut self.units {
            while old.next_if(|old| old.ordinal() < unit.ordinal()).is_some() {}
            if let Some(old) = old.next_if(|old| old.says(unit))
                && !old.is(unit)
            {
                *unit = old.clone();
            }
        }
        self.visited += (before.len() + self.units.len()) as u64;
        self.units.iter().zip(before).take_while(|(new, old)| new.is(old)).count()
    }

    /// The lowest index that changed below a length.
    pub(crate) fn changed_below(&self, len: usize) -> Option<usize> {
        self.changed.filter(|index| *index < len)
    }
}
