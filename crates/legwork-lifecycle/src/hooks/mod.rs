//! Hooks: functions on triggers, run in the order of their priority.

mod body;
mod error;
mod hook;
mod stack;

pub use error::Error;
pub use hook::{Cx, Handler, Hook, hook, priority};
pub use stack::HookStack;
