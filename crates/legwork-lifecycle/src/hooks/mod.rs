//! Hooks: functions on triggers, run in the order of their priority.

mod body;
mod hook;
mod stack;

pub use hook::{Cx, Handler, Hook, HookError, hook, priority};
pub use stack::HookStack;
