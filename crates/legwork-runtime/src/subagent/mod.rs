//! Subagents that calls of a turn run: what they may use, their sessions, how they end.
//!
//! Read the modules in this order: [`link`](self) (which session belongs to which),
//! `turn` (what the subagents of a turn may use), `body` (one call at work), `waiting`
//! (those that wait for an answer, and those that are given up).

mod body;
mod link;
mod turn;
mod waiting;

pub(crate) use link::check;
pub use link::{parent_of, with_subagents};
pub(crate) use turn::{Grant, TurnSubagents};
pub(crate) use waiting::{end_call, interrupted, resume_waiting, wait};
