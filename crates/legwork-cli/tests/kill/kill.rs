//! Where a process is killed.

use std::fmt;

/// The numbers that are noted: one a step.
pub(crate) const LAST: usize = 10;

/// Where a process is killed, the first time it comes there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kill {
    /// In the step of this number.
    pub(crate) number: usize,
    pub(crate) point: Point,
    pub(crate) side: Side,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    /// The model was asked; before or after the first piece of its answer came.
    Inference,
    /// The tool runs; before or after it had its effect.
    Intent,
    /// The outcome of the tool is known and not yet journaled. It has but one side.
    Outcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inference => "inside an inference",
            Self::Intent => "between intent and outcome",
            Self::Outcome => "between outcome and the next commit",
        })
    }
}

/// So many kills at a point, in runs that are killed in each step at most once.
pub(crate) fn plan(point: Point, count: usize) -> Vec<Vec<Kill>> {
    let side = |at: usize| if at.is_multiple_of(2) { Side::Before } else { Side::After };
    let whole =
        |run: usize| (1..=LAST).map(move |number| Kill { number, point, side: side(number + run) });
    let mut runs: Vec<Vec<Kill>> = (0..count / LAST).map(|run| whole(run).collect()).collect();
    let rest = count % LAST;
    let spread = |at: usize| Kill { number: 1 + at * LAST / rest, point, side: side(at) };
    runs.push((0..rest).map(spread).collect());
    runs.retain(|run| !run.is_empty());
    runs
}
