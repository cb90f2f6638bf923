//! Workers: many processes on one store, which run the sessions that are due.
//!
//! A worker asks its store which sessions are due (new, answered, spoken to, a time came, their
//! process died), claims one, runs it until it rests, and asks again. The claim is the whole
//! coordination: workers know nothing of each other. It is deliberately no queue and no engine:
//! placement, priorities and retries of whole jobs are an engine's, on the same seam
//! ([`Session::run_until_rest`](legwork_agent::Session::run_until_rest)).
//!
//! ```
//! # use std::sync::Arc;
//! # use legwork_agent::{Agent, memory::MemoryStore};
//! # use legwork_testkit::{ScriptedModel, Turn};
//! use legwork_worker::{Agents, Worker};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (model, store) = (ScriptedModel::new([Turn::text("sorted")]), Arc::new(MemoryStore::new()));
//! let clerk = Agent::builder(model).id("clerk").store_in(store.clone()).build()?;
//! clerk.session("job-17").submit("Sort the mail.").await?;
//! // In another process, or in many:
//! let worker = Worker::new(store, Agents::new([clerk.clone()])).concurrency(4);
//! worker.run_until_idle().await?;
//! assert_eq!(clerk.session("job-17").last_run().await?.text(), "sorted");
//! # Ok(())
//! # }
//! ```
//!
//! Read the modules in this order: `runner` (how one session is run), [`worker`] (its settings),
//! `round` (the loop), `backoff`, `event`.
#![forbid(unsafe_code)]

mod backoff;
mod event;
mod round;
mod runner;
pub mod worker;

pub use event::WorkerEvent;
pub use runner::{Agents, Due, Failure, Runner};
pub use worker::Worker;
