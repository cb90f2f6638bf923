//! The test kit, tested over real connections.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "what helps a test is not in a test function, where these are allowed"
)]

mod client;
mod clock;
mod conformance;
mod fault;
mod invariants;
mod model;
mod observer;
mod polls;
mod recording;
mod script;
mod server;

/// A file that no `mod` names is never compiled.
#[test]
fn no_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let is_named = include_str!("main.rs").contains(&format!("mod {module};"));
        assert!(module == "main" || is_named, "add `mod {module};` to tests/it/main.rs");
    }
}
