//! A transform at work on one conversation.

use crate::transform::{Cx, Extended, Transform};
use crate::unit::Unit;
use crate::view::View;

/// The view that a transform leaves, and how much it has taken in.
#[derive(Default)]
pub(crate) struct Stage {
    view: View,
    taken: usize,
}

impl Stage {
    pub(crate) fn units(&self) -> &[Unit] {
        self.view.units()
    }

    /// Takes in what changed before it; returns the first index that changed of what the view
    /// had, and whether it was rebuilt.
    ///
    /// `changed` is the first index that changed of what was taken in before; none if units
    /// were only appended.
    pub(crate) fn update(
        &mut self,
        transform: &dyn Transform,
        input: &[Unit],
        changed: Option<usize>,
        cx: &Cx<'_>,
    ) -> (Option<usize>, bool) {
        let before = self.view.len();
        if changed.is_none() {
            let added = self.view.append(input.get(self.taken..).unwrap_or_default());
            self.taken = input.len();
            if transform.extend(&mut self.view, added, cx) == Extended::Done {
                return (self.view.changed_below(before), false);
            }
        }
        // A transform may have changed something before it asked for this.
        let touched = self.view.changed_below(before);
        let old = self.view.restart(input);
        self.taken = input.len();
        transform.rebuild(&mut self.view, cx);
        let same = Some(self.view.reuse(&old)).filter(|same| *same < before);
        (touched.into_iter().chain(same).min(), true)
    }

    /// How many units were looked at or moved since the last time.
    pub(crate) fn visited(&mut self) -> u64 {
        std::mem::take(&mut self.view.visited)
    }
}
