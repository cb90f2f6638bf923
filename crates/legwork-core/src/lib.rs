//! The pure core of Legwork: messages, events, state and the journal format.
//!
//! A session is an append-only, tree-shaped journal of entries, each of which holds an event.
//! Everything here is a value, a fold over that journal, or a pure function of it.
//!
//! It is deliberately not a runtime: it has no async, clock, randomness, IO, environment or
//! provider. Time and ids are arguments, and what is to be done next is a value ([`Owed`]).
//!
//! ```
//! use legwork_core::journal::Journal;
//! use legwork_core::state::Input;
//! use legwork_core::{AgentState, Owed, SessionId};
//!
//! let state = AgentState::new(SessionId::new("demo"));
//! let events = state.decide(Input::Start(vec!["What is 17 + 25?".into()]))?;
//! let state = events.into_iter().fold(state, AgentState::with);
//! assert_eq!(state.owed(), Owed::Infer);
//! let journal = Journal::new(state.uncommitted().to_vec());
//! assert_eq!(journal.fold(state.session()), state);
//! # Ok::<(), legwork_core::state::Refusal>(())
//! ```
//!
//! # Reading order
//!
//! 1. What is said: [`id`], [`time`], [`message`], [`transcript`].
//! 2. What is asked and answered: [`tool`], [`inference`], [`budget`], [`error`].
//! 3. What happened: [`inbox`], [`event`], [`entry`]. Before them read the private modules
//!    `outcome` (votes, and the decision made from them), `pending` (calls that wait for an
//!    answer) and `status`, which events contain. [`undo`] is what a journal says of past calls.
//! 4. What follows from it: [`state`], in the order of its files `step`, `calls`, `execution`,
//!    `facts`, `apply`, `owed` and `decide`; then [`journal`].
//! 5. Whether it goes on: `progress` (the trait that criteria are generic over),
//!    [`continuation`], and [`orchestrate`] for conversations of several agents.
//!
//! The other modules, such as [`vector`], [`chunked`], [`digest`] and [`mask`], are small tools
//! of these and can be read when they are used.
#![forbid(unsafe_code)]

pub mod approval;
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
mod lean;
pub mod mask;
pub mod message;
pub mod metadata;
mod money;
pub mod nearest;
mod nesting;
pub mod orchestrate;
mod outcome;
pub mod output;
mod pending;
pub mod present;
mod progress;
pub mod settings;
pub mod state;
mod status;
mod string_enum;
mod summary;
pub mod time;
pub mod tool;
pub mod transcript;
pub mod undo;
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
