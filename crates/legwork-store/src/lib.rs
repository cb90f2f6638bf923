//! Stores of Legwork: where journals and inboxes live when the process is gone.
//!
//! One module and one feature a store; each keeps the promises of
//! [`legwork_port::Store`] and passes the conformance suite of the test kit. It is
//! deliberately not the loop, and it knows nothing of what an entry means: it keeps
//! lines, in order, for one writer at a time.
//!
//! ```
//! # #[cfg(feature = "sqlite")]
//! # async fn example(folder: &std::path::Path) -> Result<(), legwork_port::store::Error> {
//! use legwork_port::Store as _;
//! use legwork_port::store::Range;
//! use legwork_store::sqlite;
//!
//! let store = sqlite::Store::open(folder.join("clerk.db"))?;
//! let claim = store.claim(&"demo".into()).await?;
//! assert_eq!(store.read(&"demo".into(), Range::ALL).await?.journal.entries().len(), 0);
//! claim.release().await?;
//! # Ok(())
//! # }
//! ```
//!
//! Emits `tracing` events: a store that is opened or created and sessions that are removed
//! (`INFO`), damage that is set aside, a claim that is lost, a connection that broke and a server
//! that may lose what was written (`WARN`), claims and connections (`DEBUG`), appends and posts
//! (`TRACE`). They name paths, addresses without passwords and sessions, and hold nothing of an
//! entry.
//!
//! Read `sqlite` first: `schema.sql` says how it is laid out and why. It needs the feature
//! `sqlite`, which is on by default. `redis` needs the feature `redis`.
#![forbid(unsafe_code)]

#[cfg(any(feature = "redis", feature = "sqlite"))]
#[cfg_attr(not(feature = "sqlite"), allow(dead_code, reason = "a store uses a part of it"))]
mod decode;
#[cfg(feature = "sqlite")]
mod lock;
#[cfg(any(feature = "redis", feature = "sqlite"))]
mod name;
#[cfg(feature = "sqlite")]
mod private;
#[cfg(feature = "redis")]
pub mod redis;
#[cfg(feature = "sqlite")]
pub mod sqlite;
#[cfg(any(feature = "redis", feature = "sqlite"))]
mod whole;
