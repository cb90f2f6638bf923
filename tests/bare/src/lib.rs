//! A program on Legwork without any of its features.
//!
//! What it can do all the same, and what it is told of what it cannot, is in `tests`.
