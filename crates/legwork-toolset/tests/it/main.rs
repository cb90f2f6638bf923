//! Toolsets by themselves, without a loop.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod cached;
mod hostile;
mod leaf;
mod rules;
mod trees;
