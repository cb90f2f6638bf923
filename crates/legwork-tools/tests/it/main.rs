//! The tools as the loop sees them: real files, real commands, real deaths.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly and says what it skips"
)]

mod allowed;
mod background;
mod bash;
mod changes;
mod death;
mod edit;
mod executed;
mod fixture;
mod git;
mod hostile;
mod kept_out;
mod list;
mod program;
mod random;
mod read;
mod sandbox;
mod search;
mod secrets;
mod undo;
mod undo_killed;
mod write;

#[test]
fn no_file_is_forgotten() {
    let listed = include_str!("main.rs");
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for file in std::fs::read_dir(dir).expect("listed") {
        let name = file.expect("read").file_name().into_string().expect("UTF-8");
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || listed.contains(&format!("mod {module};")), "{name}");
    }
}
