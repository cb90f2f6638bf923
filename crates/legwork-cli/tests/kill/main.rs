//! Processes killed with SIGKILL, and what their sessions are afterwards.
//!
//! Two programs note the numbers from 1 to 10 with one tool call each: the `legwork`
//! command, whose `bash` is of class `Once`, and a program on the façade, whose tool is
//! `Idempotent`. A scripted model over real HTTP tells them to. They are killed where it
//! matters, each time exactly there, and at random moments; then they are resumed until
//! they complete.
//!
//! Few kills unless told: `cargo xtask kill` makes as many as the project promises, by
//! the variables in `counts`. Read `kill`, `scene` and `shell` first.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail loudly and says what it skips"
)]

mod claims;
mod counts;
mod doubt;
mod keyed;
mod kill;
mod observed;
mod points;
mod power;
mod random;
mod scene;
mod shell;
mod story;
mod syscalls;
mod time;
mod trace;

#[test]
fn no_file_of_this_folder_is_forgotten() {
    let main = include_str!("main.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kill");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("mod {module};")), "{name}");
    }
}
