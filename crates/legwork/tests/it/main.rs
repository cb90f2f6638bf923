//! The façade, tested from outside.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

// Random entries are made in one place.
#[allow(dead_code, reason = "the core uses more of it")]
#[path = "../../../legwork-core/tests/it/arbitrary.rs"]
mod arbitrary;
mod arguments;
mod capability;
mod capability_web;
mod closure;
mod context;
mod costs;
mod definition;
mod embedder;
mod environment;
mod examples;
mod exported;
mod face;
mod folder;
mod handoff;
mod orchestrate;
mod output;
mod output_checks;
mod results;
mod retryable;
mod skills;
mod skills_crash;
mod tool;
mod tool_options;
mod tool_search;
mod undo;
mod workers;

/// Every file in this folder is part of the tests.
#[test]
fn no_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("mod {module};")), "{name}");
    }
}
