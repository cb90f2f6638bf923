//! Workers on a store that several share.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails, and says what it skips"
)]

#[cfg(target_os = "linux")]
mod contention;
mod left_alone;
mod shared;
mod stops;

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
