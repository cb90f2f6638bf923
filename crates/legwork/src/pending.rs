//! Calls that wait for a person, a result or a time, and the answers to them.
//!
//! ```
//! use legwork::pending::PendingReason;
//! use legwork::prelude::*;
//!
//! /// Approves what waits for approval, from any process with access to the store.
//! async fn approve_all(session: &Session) -> legwork::Result<()> {
//!     for waiting in session.pending().await? {
//!         if waiting.pending.reason == PendingReason::Approval {
//!             session.answer(Answer::approve(&waiting.pending).by("Ann")).await?;
//!         }
//!     }
//!     Ok(())
//! }
//! ```
//!
//! An [`Approver`] answers in the process that runs the session.

pub use legwork_agent::Waiting;
pub use legwork_core::approval::{Remember, Request};
pub use legwork_core::inbox::{Answer, Verdict};
pub use legwork_core::state::{Pending, PendingReason, Refusal};
pub use legwork_core::tool::Deferral;
pub use legwork_port::Approver;
