//! The pure core of Legwork: messages, events, state and the journal format.
//!
//! One append-only, tree-shaped journal per session is the only truth; everything
//! here is a value, a fold over that journal, or a pure question about it.
//!
//! It is deliberately not a runtime: it knows no async, clock, randomness, IO,
//! environment or provider. Time and ids arrive as arguments, outputs are data.
//!
//! ```
//! use legwork_core::{AgentState, Event, Message, Owed, SessionId, Stamp};
//! use legwork_core::event::ExecutionStarted;
//!
//! let state = AgentState::new(SessionId::new("demo")).at(Stamp::default());
//! assert_eq!(state.owed(), Owed::Nothing);
//! let input = vec![Message::user("What is 17 + 25?").into()];
//! let state = state.with(Event::ExecutionStarted(ExecutionStarted { input }));
//! assert_eq!(state.owed(), Owed::Infer);
//! assert_eq!(state.uncommitted().len(), 1);
//! ```
//!
//! Read the modules in this order: [`message`], [`transcript`], [`tool`],
//! [`inference`], [`budget`], [`continuation`], [`event`], [`entry`], [`state`],
//! [`journal`], [`orchestrate`].
#![forbid(unsafe_code)]

pub mod budget;
pub mod chunked;
pub mod continuation;
pub mod digest;
mod encoded;
pub mod entry;
pub mod error;
pub mod event;
pub mod hidden;
pub mod id;
pub mod inbox;
pub mod inference;
pub mod journal;
pub mod mask;
pub mod message;
pub mod metadata;
pub mod nearest;
mod nesting;
pub mod orchestrate;
mod outcome;
mod pending;
mod present;
mod progress;
pub mod state;
mod status;
mod string_enum;
mod summary;
pub mod time;
pub mod tool;
pub mod transcript;
pub mod vector;

pub use budget::{Budget, Ledger};
pub use chunked::Chunked;
pub use continuation::Criterion;
pub use digest::Digest;
pub use entry::Entry;
pub use error::{ErrorKind, ErrorRecord, ErrorSource};
pub use event::Event;
pub use id::{AgentId, CallId, EffectKey, Fence, Seq, SessionId};
pub use inference::{FinishReason, ModelRequest, ModelSettings, Response, Usage};
pub use mask::Mask;
pub use message::{Message, Part, Role, ToolCall};
pub use outcome::{ContinuationOutcome, Decision, StopReason, StopSignal};
pub use progress::Progress;
pub use state::{AgentState, AgentStep, ExecutionState, ExecutionStatus, Owed, StepResult};
pub use summary::Summary;
pub use time::{Micros, Stamp, Timestamp};
pub use tool::{EffectClass, OnDoubt, ToolExecution, ToolOutcome, ToolSelection, ToolSpec};
pub use transcript::Transcript;
pub use vector::Vector;
