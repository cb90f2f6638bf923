//! What a tree of agents uses together.
//!
//! The journal of each session is the truth about what was used in it. While the calls of
//! a turn run, the agent that made them opens an account of what its ledger leaves; each
//! inference below it holds what it may cost in every account above, or, in a dimension
//! that a subagent has a limit of its own in, lives on what was held when it was spawned.
//!
//! It deliberately knows neither sessions nor models: it adds up what they hold and use.
//!
//! ```
//! use legwork_account::SharedBudget;
//! use legwork_core::Budget;
//! use legwork_core::budget::Ledger;
//!
//! let ledger = Ledger { budget: Budget::unlimited().tool_calls(3), ..Ledger::default() };
//! let shared = SharedBudget::open(None, &ledger);
//! assert!(shared.hold_calls(2).is_ok());
//! assert!(shared.hold_calls(2).is_err(), "one is left");
//! ```
//!
//! Read the modules in this order: `shared` (the accounts, and a subagent's share), `calls` (those
//! of a turn that have not begun), `uncommitted` (charges that are not durable yet), `account` (what a run spends from).
#![forbid(unsafe_code)]

mod account;
mod calls;
mod shared;
mod uncommitted;

pub use account::Account;
pub use calls::ReservedCalls;
pub use shared::{Affordable, SharedBudget};
