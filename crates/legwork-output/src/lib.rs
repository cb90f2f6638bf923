//! Structured output of Legwork.
#![forbid(unsafe_code)]

pub mod partial;
