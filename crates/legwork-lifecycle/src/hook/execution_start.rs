//! Once, before the first step of an execution.

use super::point::{constructor, point, prepares, stops};

point! {
    /// An execution that is about to begin.
    ExecutionStart, ExecutionStart, |_| true
}
stops!(ExecutionStart);
prepares!(ExecutionStart);

constructor! {
    /// A hook that runs once, before the first step of an execution.
    execution_start, ExecutionStart
}
