//! One call to a model: what it may cost, its attempts, and what observers see of its answer.
//!
//! An inference makes a step, or is auxiliary: its answer is for what the model reads. Both are
//! priced, reserved and charged alike; that is here. It deliberately knows neither the loop nor the
//! journal: `legwork-runtime` says when a call is made, and records what came of it.
//!
//! ```
//! use legwork_account::Account;
//! use legwork_core::budget::Ledger;
//! use legwork_core::{Budget, ModelRequest};
//! use legwork_inference::spending;
//! use legwork_port::Model;
//!
//! /// How much a model may answer, with ten thousand tokens in all.
//! fn longest(request: &ModelRequest, model: &dyn Model) -> Option<u64> {
//!     let budget = Budget { total_tokens: Some(10_000), ..Budget::unlimited() };
//!     let ledger = Ledger { budget, ..Ledger::default() };
//!     spending::hold(&Account::below(None), &ledger, request, model).ok()?.0
//! }
//! # let _ = longest;
//! ```
//!
//! Read the modules in this order: [`spending`], `waits` (between attempts), `pieces` (of an
//! answer, masked), `attempts`.
#![forbid(unsafe_code)]

mod attempts;
mod pieces;
pub mod spending;
mod waits;

pub use attempts::{Attempts, Reserved};
pub use pieces::Pieces;
pub use waits::Waits;
