//! Leaves out the oldest part of a conversation, by its length.

use std::ops::Range;

use super::Marks;
use crate::transform::{Cx, Extended, Transform};
use crate::view::View;

/// Leaves out the oldest units when there are too many.
///
/// The first task, the last one, and what is pinned stay.
#[derive(Debug, Clone, Copy)]
pub struct SlidingWindow {
    marks: Marks,
    by: By,
}

#[derive(Debug, Clone, Copy)]
enum By {
    Units,
    Messages,
}

impl SlidingWindow {
    /// A window of at most so many units: messages, or turns of calls with their results.
    pub const fn of_units(high: u64) -> Self {
        Self { marks: Marks::up_to(high), by: By::Units }
    }

    /// A window of at most so many messages, if the last unit alone does not have more.
    pub const fn of_messages(high: u64) -> Self {
        Self { marks: Marks::up_to(high), by: By::Messages }
    }

    /// The same, with as many left after some were left out.
    #[must_use]
    pub const fn down_to(self, low: u64) -> Self {
        Self { marks: self.marks.down_to(low), ..self }
    }

    fn size(self, messages: usize) -> u64 {
        match self.by {
            By::Units => 1,
            By::Messages => u64::try_from(messages).unwrap_or(u64::MAX),
        }
    }
}

impl Transform for SlidingWindow {
    fn name(&self) -> &str {
        "sliding_window"
    }

    fn priority(&self) -> i32 {
        500
    }

    fn extend(&self, view: &mut View, added: Range<usize>, _: &Cx<'_>) -> Extended {
        let mut size: u64 = view.memory();
        let mut end = added.start;
        while let Some(unit) = view.get(end) {
            size += self.size(unit.count());
            end += 1;
            if size <= self.marks.high {
                continue;
            }
            let mut left = size;
            end -= view.remove_oldest(end, |unit| {
                let goes = left > self.marks.low;
                left -= if goes { self.size(unit.count()).min(left) } else { 0 };
                goes
            });
            size = left;
        }
        view.keep(size);
        Extended::Done
    }
}
