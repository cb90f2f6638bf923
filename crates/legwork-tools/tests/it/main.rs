//! The tools as the loop sees them: real files, real commands, real deaths.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly and says what it skips"
)]

mod bash;
mod death;
mod place;
mod read;
mod sandbox;
