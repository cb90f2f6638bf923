//! Toolsets by themselves, without a loop.

mod cached;
mod leaf;
mod trees;
