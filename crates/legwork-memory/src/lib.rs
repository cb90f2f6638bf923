//! The ports within one process: a store in memory, random names, the clock of the system.
//!
//! An agent that is given no others uses these. They are ports like those of any stranger: the
//! runtime knows none of them. What they keep ends with the process.
//!
//! ```
//! use legwork_memory::MemoryStore;
//! use legwork_port::core::SessionId;
//! use legwork_port::Store;
//! # use futures_util::future::FutureExt as _;
//! # async fn example() -> Result<(), legwork_port::store::Error> {
//!
//! let store = MemoryStore::new();
//! let claim = store.claim(&SessionId::new("s")).await?;
//! assert!(store.claim(&SessionId::new("s")).await.is_err(), "a session has one writer");
//! # drop(claim);
//! # Ok(())
//! # }
//! # example().now_or_never().unwrap().unwrap();
//! ```
//!
//! Read the modules in this order: `store`, `lines` (the journal of a session), `claim`, `ids`.
#![forbid(unsafe_code)]

mod claim;
mod ids;
mod lines;
mod store;

pub use ids::RandomIds;
pub use legwork_clock::SystemClock;
pub use store::MemoryStore;
