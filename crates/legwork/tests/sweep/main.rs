//! A whole run of an agent in a process of its own, killed or failed at each place that there is.
//!
//! The run (`child`) has calls in parallel, an approval, steering, a subagent, a branch, a fork and two
//! compactions: one because the window is full, one because a request was too long.
//! A case is that run on one store with one fault: a SIGKILL at a commit or at a system call, an
//! error of the disk, or a SIGKILL of the store's server. After the fault the store has to open
//! clean; then the program runs again, and has to end as an undisturbed run does.
//!
//! Read `case` first (what a case does), then `fault`, `process`, `sound` and `end` (what has to
//! hold), and `plan` (which cases there are). The tests take a sample of them;
//! `cargo xtask sweep` takes all.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail loudly and says what it skips"
)]

mod case;
mod census;
mod child;
mod end;
mod fault;
mod kind;
mod listed;
mod place;
mod plan;
mod process;
mod report;
mod samples;
mod server;
mod sound;
mod whole;
mod world;

/// A file that is not named above would not be compiled.
#[test]
fn every_file_is_named() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sweep");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        let named = include_str!("main.rs").contains(&format!("mod {module};"));
        assert!(named || module == "main", "{name} is not named in main.rs");
    }
}
