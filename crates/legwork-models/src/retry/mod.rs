//! Failed attempts made again: which, when, and for how long.
//!
//! [`Policy`] is what a program sets. [`Attempts`] decides after each failure, without a
//! clock or randomness of its own. [`Retrying`] puts both around any model; the wires of
//! this crate have them inside.

mod after;
mod answered;
mod attempts;
mod persist;
mod policy;
mod retrying;

#[cfg(test)]
mod tests;

pub use after::{retry_after, retry_after_ms};
pub use attempts::{Attempts, Failure, GiveUp, Verdict};
pub use policy::Policy;
pub use retrying::Retrying;

#[cfg(feature = "responses")]
pub(crate) use answered::Answered;
pub(crate) use persist::{Attempt, NOT_RUNNING, persist};
