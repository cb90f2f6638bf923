//! Subagents that calls of a turn run: what they may use, their sessions, how they end.
//!
//! Read the modules in this order: [`link`](self) (which session belongs to which),
//! `family` (what the subagents of a turn may use), `body` (one call at work), `waiting`
//! (those that wait for an answer, and those that are given up).

mod body;
mod family;
mod link;
mod waiting;

pub(crate) use family::{Family, Lease};
pub(crate) use link::check;
pub use link::{parent_of, with_subagents};
pub(crate) use waiting::{awaken, end_call, interrupted, wait};
