//! The transforms that ship.

mod call_words;
mod custom;
mod marks;
mod redact;
mod repeats;
mod similar;
mod summaries;
mod token_budget;
mod traces;
mod truncate;
mod window;

pub use custom::{Each, Whole, each, whole};
pub use marks::Marks;
pub use redact::Redact;
pub use repeats::RemoveRepeats;
pub use similar::{RemoveSimilar, ToCompare, Vectors};
pub use summaries::{SummariseResults, ToSummarise};
pub use token_budget::TokenBudget;
pub use traces::DropTraces;
pub use truncate::TruncateResults;
pub use window::SlidingWindow;
