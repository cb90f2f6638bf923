//! The limits of an execution, and the ledger of what it uses.

mod amounts;
mod charge;
mod ledger;
mod limits;
mod price;
mod tree_amounts;

pub use crate::inference::LEAST_BYTES_PER_TOKEN;
pub use crate::money::MicroUsd;
pub use amounts::Amounts;
pub use charge::{BYTES_PER_OUTPUT_TOKEN, LeftAttempt};
pub use ledger::{Exhausted, Ledger, OUTPUT_FLOOR, OUTPUT_UNKNOWN, Reserve};
pub use limits::{Budget, Dimension};
pub use price::{Price, PriceTier, Prices};
pub use tree_amounts::TreeAmounts;
