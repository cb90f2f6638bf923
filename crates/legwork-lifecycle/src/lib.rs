//! What observes an execution and may change it: Core, hooks, and several lifecycles as one.
//!
//! Each point of an execution, a *trigger*, shows the state to a
//! [`Lifecycle`](legwork_port::Lifecycle) and takes the state that it returns. This crate has the
//! lifecycles that ship, and says which changes are let in at which point. It deliberately knows
//! no loop: `legwork-runtime` fires the triggers.
//!
//! ```
//! use legwork_lifecycle::{HookStack, hook};
//! use legwork_port::{Lifecycle, Trigger};
//!
//! let gate = hook::before_tool_use("no_deletes", async |call, _cx| match call.name() {
//!     "delete" => call.block("nothing is deleted here"),
//!     _ => call,
//! });
//! let stack = HookStack::new([gate]);
//! assert!(stack.listens(Trigger::BeforeToolUse));
//! ```
//!
//! Read the modules in this order: `strictness` and `admit` (what may change where), `composite`
//! (several lifecycles as one), `core` (decides whether an execution goes on, and records its
//! steps) and `guarded` (a Core of somebody else), [`hooks`] (functions on triggers) and
//! [`mod@hook`] (with a type per trigger).
#![forbid(unsafe_code)]

mod admit;
mod composite;
mod core;
mod guarded;
pub mod hook;
pub mod hooks;
mod strictness;

pub use self::admit::allowed;
pub use self::composite::Composite;
pub use self::core::CoreLifecycle;
pub use self::guarded::Guarded;
pub use self::hooks::{Cx, Handler, Hook, HookStack, hook, priority};
pub use self::strictness::Strictness;
