//! What a model reads of a conversation.
//!
//! The transcript of a session keeps everything that was said. Here it becomes the messages of
//! a request: [`transforms`] shorten it and leave things out, [`Renderers`] put the messages of
//! programs in words, a [`compaction`] puts a summary in place of the beginning. Calls stay
//! with their results by construction, and what is pinned stays.
//!
//! It is deliberately pure: it journals nothing and asks no model. What asks one (a summary, an
//! embedding) is an effect whose result is an entry of the journal; here are the request for it
//! and the event that records it, and the view reads that event.
//!
//! ```
//! use legwork_context::transforms::{SlidingWindow, TruncateResults};
//! use legwork_context::{Memory, Pipeline};
//! use legwork_core::{AgentState, SessionId};
//! use legwork_port::Profile;
//!
//! let pipeline = Pipeline::new().with(SlidingWindow::of_units(200)).with(TruncateResults::new());
//! let state = AgentState::new(SessionId::new("s")).with_message("hi");
//! let shown = pipeline.to_model(&mut Memory::new(), &state, &Profile::new())?;
//! assert_eq!(shown.messages.messages().len(), 1);
//! # Ok::<(), legwork_context::NotSettled>(())
//! ```
//!
//! Read the modules in this order: [`mod@unit`], [`view`], [`transform`], [`transforms`], [`app`],
//! `renderers`, `source` (transcript to units), `stage` (a transform at work), `output` (units
//! to messages), `chain` (digests), `recorded`, `memory`, `pipeline`; then [`compaction`] and [`branch`]; what an agent has ([`Context`]) and what a
//! run keeps ([`Conversation`]): `context`, `comparer`, `auxiliary`, `prompt` (what a call asks
//! the model), `outgoing`, `conversation`.
#![forbid(unsafe_code)]

pub mod app;
mod auxiliary;
pub mod branch;
mod chain;
pub mod compaction;
mod comparer;
mod context;
mod conversation;
mod memory;
mod outgoing;
mod output;
mod pins;
mod pipeline;
mod prompt;
mod recorded;
mod renderers;
mod report;
mod results;
mod source;
mod stage;
pub mod transform;
pub mod transforms;
pub mod unit;
pub mod view;

pub use auxiliary::Auxiliary;
pub use chain::digest;
pub use context::Context;
pub use conversation::{Agreed, Conversation, Owed};
pub use memory::Memory;
pub use pins::{PINNED, pinned};
pub use pipeline::{NotSettled, Pipeline, Shown};
pub use renderers::{Rendered, Renderers, Why};
pub use report::{LeftOut, Report};
pub use transform::{Cx, Extended, Transform};
pub use unit::Unit;
pub use view::View;
