//! The limits of an execution, and the ledger of what it uses.

mod amounts;
mod ledger;
mod limits;
mod price;

pub use amounts::{Amounts, MicroUsd};
pub use ledger::{Exhausted, Ledger, OUTPUT_FLOOR, OUTPUT_UNKNOWN, Reserve};
pub use limits::{Budget, Dimension};
pub use price::{Price, PriceEntry};
