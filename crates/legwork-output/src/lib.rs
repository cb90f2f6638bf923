//! Structured output of Legwork.
#![forbid(unsafe_code)]

pub mod extract;
pub mod partial;
pub mod schema;
