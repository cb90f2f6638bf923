//! A transform at work on one conversation.

use crate::transform::{Cx, Extended, Transform};
use crate::unit::Unit;
use crate::view::View;

/// The view that a transform leaves, and how much it has taken in.
#[derive(Default)]
pub(crate) struct Stage {
    view: View,
    taken: usize,
    /// The lowest index that changed before it since it took units in.
    behind: Option<usize>,
    checkpoints: Checkpoints,
}

/// The view as it was when fewer units had come.
struct Checkpoint {
    view: View,
    taken: usize,
}

/// Where a transform goes on when units that it had taken in have changed.
///
/// Some changes come early, where a window drops what is old; others come late, and ever later.
/// So the earliest checkpoint is kept, and the last one.
#[derive(Default)]
struct Checkpoints {
    first: Option<Checkpoint>,
    last: Option<Checkpoint>,
}

impl Checkpoints {
    /// Where to go on when units changed from an index on; those behind it are dropped.
    fn before(&mut self, index: usize) -> Option<Checkpoint> {
        let is_before = |one: &Checkpoint| one.taken <= index;
        self.first = self.first.take().filter(is_before);
        let last = self.last.take().filter(is_before);
        last.or_else(|| self.first.as_mut().map(Checkpoint::copy))
    }

    fn add(&mut self, one: Checkpoint) {
        match &self.first {
            Some(first) if first.taken < one.taken => self.last = Some(one),
            _ => self.first = Some(one),
        }
    }
}

impl Checkpoint {
    fn copy(&mut self) -> Self {
        Self { view: self.view.copy(), taken: self.taken }
    }
}

impl Stage {
    pub(crate) fn units(&self) -> &[Unit] {
        self.view.units()
    }

    /// Notes the first index that changed before it of what was there; none if units were only
    /// appended.
    pub(crate) fn changed_before(&mut self, index: Option<usize>) {
        self.behind = self.behind.into_iter().chain(index).min();
    }

    /// Takes in what changed before it; returns the first index that changed of what the view
    /// had, and whether it was rebuilt.
    pub(crate) fn update(
        &mut self,
        transform: &dyn Transform,
        input: &[Unit],
        cx: &Cx<'_>,
    ) -> (Option<usize>, bool) {
        let before = self.view.len();
        let changed = self.behind.take().filter(|index| *index < self.taken);
        let (old, touched) = match changed {
            None if self.take(transform, input, cx) == Extended::Done => {
                return (self.view.changed_below(before), false);
            }
            // It may have changed something before it asked for this.
            None => {
                let touched = self.view.changed_below(before);
                (self.rebuild(transform, input, cx), touched)
            }
            Some(changed) => (self.take_anew(transform, input, changed, cx), None),
        };
        let same = Some(self.view.reuse(&old)).filter(|same| *same < before);
        (touched.into_iter().chain(same).min(), true)
    }

    /// Takes in the units that are new.
    fn take(&mut self, transform: &dyn Transform, input: &[Unit], cx: &Cx<'_>) -> Extended {
        let added = self.view.append(input.get(self.taken..).unwrap_or_default());
        self.taken = input.len();
        transform.extend(&mut self.view, added, cx)
    }

    /// Takes in the units from the first that changed on; returns those that the view had.
    fn take_anew(
        &mut self,
        transform: &dyn Transform,
        input: &[Unit],
        changed: usize,
        cx: &Cx<'_>,
    ) -> Vec<Unit> {
        let same = input.get(..changed).unwrap_or(input);
        let old = self.view.take_units();
        let visited = self.view.visited;
        let before = self.checkpoints.before(same.len());
        (self.view, self.taken) =
            before.map_or_else(Default::default, |before| (before.view, before.taken));
        self.view.visited = visited;
        let mut taken = self.take(transform, same, cx);
        if taken == Extended::Done {
            self.checkpoints.add(Checkpoint { view: self.view.copy(), taken: self.taken });
            taken = self.take(transform, input, cx);
        }
        if taken == Extended::Rebuild {
            self.rebuild(transform, input, cx);
        }
        old
    }

    /// Takes in all units as a whole; returns those that the view had.
    fn rebuild(&mut self, transform: &dyn Transform, input: &[Unit], cx: &Cx<'_>) -> Vec<Unit> {
        self.checkpoints = Checkpoints::default();
        let old = self.view.restart(input);
        self.taken = input.len();
        transform.rebuild(&mut self.view, cx);
        old
    }

    /// How many units were looked at or moved since the last time.
    pub(crate) fn visited(&mut self) -> u64 {
        std::mem::take(&mut self.view.visited)
    }
}
