//! Tests of the stores, on real files and with real processes.
#![cfg(any(feature = "jsonl", feature = "sqlite"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail loudly and says what it skips"
)]

mod child;
mod disk;
#[cfg(feature = "jsonl")]
mod jsonl;
mod open_files;
#[cfg(feature = "postgres")]
mod postgres;
#[path = "../../../legwork-models/tests/it/recorder.rs"]
mod recorder;
mod sample;
#[cfg(feature = "sqlite")]
mod sqlite;
mod sweep;

/// A file that is not named above would not be compiled.
#[test]
fn every_file_is_named() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let named = include_str!("main.rs").contains(&format!("mod {module};"));
        assert!(named || module == "main", "{name} is not named in main.rs");
    }
}
