//! The contract of Legwork: the traits that models, tools, stores and lifecycles implement.
//!
//! A third-party tool, store, model or lifecycle needs this crate and nothing else. It is
//! deliberately traits and data only: it contains no runtime, HTTP, SQL or agent loop.
//!
//! ```
//! use legwork_port::{BoxFuture, Tool, ToolContext, core::{ToolCall, ToolOutcome, ToolSpec}};
//! use std::sync::Arc;
//!
//! struct Echo(Arc<ToolSpec>);
//!
//! impl Tool for Echo {
//!     fn spec(&self) -> Arc<ToolSpec> {
//!         Arc::clone(&self.0)
//!     }
//!     fn call<'a>(&'a self, call: &'a ToolCall, _cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
//!         Box::pin(async { ToolOutcome::text(&*call.arguments) })
//!     }
//! }
//! ```
//!
//! Read the modules in this order: [`cancel`], [`clock`], [`deps`], [`model`], [`app`], [`event`],
//! [`observer`], [`undo`], [`tool`], [`toolset`], [`output`], [`lifecycle`], [`store`], [`sandbox`], [`embedder`], [`unwind`]
//! (how code that implements these traits is called).
#![forbid(unsafe_code)]

mod admission;
pub mod app;
mod approver;
pub mod cancel;
pub mod clock;
mod core_lifecycle;
pub mod deps;
pub mod embedder;
mod emitter;
pub mod event;
pub mod lifecycle;
pub mod model;
pub mod network;
pub mod observer;
pub mod output;
pub mod sandbox;
pub mod store;
pub mod tool;
pub mod toolset;
mod trigger;
pub mod undo;
pub mod unwind;
mod whole_numbers;

use std::future::Future;
use std::pin::Pin;

pub use admission::{Admission, AdmittedCall};
pub use app::AppMessage;
pub use approver::Approver;
pub use cancel::Cancellation;
pub use clock::{Clock, Ids};
pub use core_lifecycle::Core;
pub use deps::{Dep, Deps};
pub use embedder::Embedder;
pub use emitter::Emitter;
pub use event::{EventKind, RunEvent};
pub use legwork_core as core;
pub use lifecycle::{Lifecycle, StepView};
pub use model::{Abilities, Ability, Count, Delta, Deltas, Model, Profile, Retry, Support};
pub use observer::{NoObserver, Observer, Origin};
pub use output::{OutputContext, OutputReader};
pub use sandbox::Sandbox;
pub use store::{Claim, Store};
pub use tool::{Tool, ToolContext};
pub use toolset::{OpenToolset, Toolset};
pub use trigger::Trigger;
pub use undo::{CannotUndo, Reach, Undo};

/// A boxed future, which keeps the traits of this crate object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
