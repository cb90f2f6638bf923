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
//! An [`Approver`] answers in the process that runs the session. Any function is one, and so a
//! channel is, to a window that asks a person:
//!
//! ```
//! use legwork::agent::Builder;
//! use legwork::pending::{Answer, Pending};
//! use legwork::prelude::*;
//! use tokio::sync::{mpsc, oneshot};
//!
//! /// A call that waits, and where its answer goes; if that is dropped, it waits for others.
//! type Question = (Pending, oneshot::Sender<Answer>);
//!
//! fn asking(agent: Builder, questions: mpsc::Sender<Question>) -> Builder {
//!     agent.approver(move |pending: Pending, _: AgentState| {
//!         let questions = questions.clone();
//!         async move {
//!             let (answer, answered) = oneshot::channel();
//!             questions.send((pending, answer)).await.ok()?;
//!             answered.await.ok()
//!         }
//!     })
//! }
//! ```
//!
//! The body of a tool may wait for a person, too: it runs again with what it was supplied.
//!
//! ```
//! use legwork::prelude::*;
//!
//! /// Deletes a branch.
//! #[tool]
//! async fn delete_branch(cx: &ToolContext) -> ToolOutcome {
//!     let Some(branch) = cx.supplied().first().and_then(|one| one.read::<String>().ok()) else {
//!         return ToolOutcome::needs_input("Which branch is to be deleted?");
//!     };
//!     ToolOutcome::text(format!("deleted {branch}"))
//! }
//! ```

pub use legwork_agent::Waiting;
pub use legwork_agent::form::Form;
pub use legwork_core::approval::{Remember, Request};
pub use legwork_core::inbox::{Answer, Verdict};
pub use legwork_core::state::{Pending, PendingReason, Refusal};
pub use legwork_core::tool::{Deferral, InputRequest, Supplied};
pub use legwork_port::Approver;
