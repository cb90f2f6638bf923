//! What a third party might write for Legwork: an implementation of each port.
//!
//! It stands on `legwork-port` alone: the traits, and the data of the core that it
//! re-exports. It is deliberately no part of Legwork's workspace; the project's tests
//! build it as a crate of its own, to know that this is all that it takes.
//!
//! ```
//! use legwork_port::Tool;
//! use stranger::{chisel::{Chisel, Stone}, roman::Roman};
//!
//! assert_eq!(&*Roman::new().spec().name, "roman");
//! assert_eq!(&*Chisel::new(Stone::default()).spec().name, "chisel");
//! ```
//!
//! Read the modules in this order: [`roman`] (a tool that changes nothing), [`chisel`]
//! (one that must not happen twice), [`workshop`] (a toolset), [`quota`] (a lifecycle), [`cell`] (a
//! sandbox), [`tape`] (a model), [`letters`] (an embedder), [`jsonl`] (a store).
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod cell;
pub mod chisel;
pub mod jsonl;
pub mod letters;
pub mod quota;
pub mod roman;
pub mod tape;
pub mod workshop;
