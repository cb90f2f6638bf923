//! Leaves out old calls and their results.

use std::collections::VecDeque;
use std::ops::Range;

use super::Marks;
use crate::transform::{Cx, Extended, Transform};
use crate::view::View;

/// Leaves out calls with their results when there are too many turns of them, the oldest first.
///
/// What the model said beside these calls stays. What is pinned stays whole.
#[derive(Debug, Clone, Copy)]
pub struct DropTraces {
    marks: Marks,
}

impl DropTraces {
    /// Keeps the calls and results of the last turns, at most of so many.
    pub const fn keep(high: u64) -> Self {
        Self { marks: Marks::up_to(high) }
    }

    /// The same, with as many left after some were left out.
    #[must_use]
    pub const fn down_to(self, low: u64) -> Self {
        Self { marks: self.marks.down_to(low) }
    }
}

impl Transform for DropTraces {
    fn name(&self) -> &str {
        "drop_traces"
    }

    fn priority(&self) -> i32 {
        400
    }

    fn extend(&self, view: &mut View, added: Range<usize>, _: &Cx<'_>) -> Extended {
        let mut turns: VecDeque<usize> = view.memory();
        let (high, low) = (size(self.marks.high), size(self.marks.low));
        let new: Vec<_> = view.units().get(added).unwrap_or_default().to_vec();
        for unit in new.iter().filter(|unit| unit.has_calls() && !unit.is_held()) {
            turns.push_back(unit.ordinal());
            if turns.len() <= high {
                continue;
            }
            let gone = turns.len() - low.max(1).min(turns.len());
            for ordinal in turns.drain(..gone) {
                let Some(index) = view.position(ordinal) else { continue };
                match view.get(index).and_then(|unit| unit.without_calls()) {
                    Some(rest) => {
                        view.shorten(index, rest);
                    }
                    None => {
                        view.remove(index..index + 1);
                    }
                }
            }
        }
        view.keep(turns);
        Extended::Done
    }
}

fn size(mark: u64) -> usize {
    usize::try_from(mark).unwrap_or(usize::MAX)
}
