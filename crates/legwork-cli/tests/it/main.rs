//! The command as people and programs use it: the built binary in a home of its own,
//! against a scripted model over real HTTP.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may fail loudly and says what it skips"
)]

mod acp;
mod agent_runs;
mod agent_skills;
mod agents;
mod answers;
mod background;
mod badly;
mod branches;
mod check;
mod compact;
mod completions;
mod config;
mod config_files;
mod context;
mod diff;
mod disk;
mod doctor;
mod exit_codes;
mod export;
mod failures;
mod floods;
mod handoff;
mod help;
mod hidden;
mod home;
mod input;
mod journals;
mod keys;
mod limits;
mod lines;
mod man;
mod mcp;
mod mcp_agents;
mod mcp_questions;
mod mcp_reference;
mod mcp_sampling;
mod mcp_serve;
mod models;
mod options;
mod outage;
mod output_schema;
mod permissions;
mod promises;
mod proxies;
mod questions;
mod remove;
mod resume;
mod retries;
mod run;
mod sandbox;
mod schemas;
mod screens;
mod search;
mod sessions;
mod set;
mod signals;
mod steering;
mod stores;
mod telemetry;
mod tls;
mod tools;
mod traffic;
mod trust;
mod trust_changes;
mod trusted;
mod trusted_limits;
mod trusted_users;
mod undo;
mod web;
mod work;
mod workers;

#[test]
fn no_file_of_this_folder_is_forgotten() {
    let main = include_str!("main.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(module == "main" || main.contains(&format!("mod {module};")), "{name}");
    }
}
