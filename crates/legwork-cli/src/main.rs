//! The `legwork` command; all of it is in the library of this package.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Entries of a journal are many small values, made by several threads at once.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    legwork_cli::main()
}
