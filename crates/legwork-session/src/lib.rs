//! The sessions of a store: claimed, appended to, and spoken to.
//!
//! A session has a journal, which the holder of its claim writes, and an inbox, where everybody
//! else leaves what it is to take up. This crate appends to the one under a claim that it
//! renews, and posts to the other. It deliberately runs nothing: `legwork-runtime` has the loop.
//!
//! ```
//! use std::sync::Arc;
//!
//! use legwork_port::core::Mask;
//! use legwork_port::core::inbox::Item;
//! use legwork_port::{Clock, Store};
//! use legwork_session::{Delivery, Sessions};
//!
//! /// Stops what a session does, from any process that reaches the store.
//! async fn stop(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Result<(), legwork_session::Error> {
//!     let sessions = Sessions::new(store, clock, Vec::new(), Mask::default());
//!     match sessions.deliver(&"mail".into(), Item::Stop("not now".into())).await? {
//!         Delivery::TakenUp(state) => println!("it rests: {:?}", state.status()),
//!         Delivery::Waiting(_) => println!("it ends before its next step"),
//!     }
//!     Ok(())
//! }
//! # let _ = stop;
//! ```
//!
//! Read the modules in this order: `error`, `observers` and `masked` (observers that a panic or a
//! secret does not pass), `deliveries` (claims held for a moment), [`sessions`], `renewal` (of a
//! claim), [`kept`] and [`writer`] (the one place that appends), [`inbox`] (posting, and
//! taking up), [`delivery`] (both at once), [`fork`] (new
//! sessions made of old ones), [`copy`] (from one store to another), [`import`]
//! (journals from outside of a store).
#![forbid(unsafe_code)]

pub mod copy;
mod deliveries;
pub mod delivery;
mod error;
pub mod fork;
pub mod import;
pub mod inbox;
pub mod kept;
mod masked;
mod observers;
mod renewal;
pub mod sessions;
pub mod writer;

pub use deliveries::{Deliveries, UnderWay};
pub use delivery::Delivery;
pub use error::Error;
pub use fork::{Back, Beginning};
pub use kept::NewItems;
pub use masked::Masked;
pub use observers::Observers;
pub use renewal::Renewal;
pub use sessions::Sessions;
pub use writer::Writer;
