//! The messages of the protocol, as far as they are read and written here.
//!
//! The types are ours: the crates that have all of them order the fields of every JSON value of
//! the program otherwise. Tests hold each line against the schema of the protocol.

mod content;
mod failure;
pub(crate) mod request;
pub(crate) mod update;

pub(crate) use content::{ContentBlock, Resource};
pub(crate) use failure::Failure;

/// The version of the protocol that is spoken.
pub(crate) const VERSION: u16 = 1;
