//! What a model reads of a conversation, tested in the words of the domain.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod apps;
mod branch;
mod compaction;
mod cost;
mod digest;
mod pipeline;
mod properties;
mod story;
mod tokens;
mod transforms;

/// A test file that no `mod` names is never compiled.
#[test]
fn no_test_file_was_forgotten() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let main = std::fs::read_to_string(format!("{here}/main.rs")).unwrap();
    for file in std::fs::read_dir(here).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let name = name.trim_end_matches(".rs");
        let named = main.lines().any(|line| line == format!("mod {name};"));
        assert!(name == "main" || named, "add `mod {name};` to tests/it/main.rs");
    }
}
