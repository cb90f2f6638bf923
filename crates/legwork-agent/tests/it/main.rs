//! The runtime, tried through its public face.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "what helps a test is not in a test function, where these are allowed"
)]

mod accounts;
mod allocated;
mod allowed;
mod answers_refused;
mod approvals;
mod approved;
mod arguments;
mod ask_user;
mod budget;
mod builder;
mod cancel;
mod capability;
mod charges;
mod claimed;
mod context;
mod core_lifecycle;
mod counted;
mod crash;
mod debug;
mod deferred;
mod definitions;
mod delivered;
mod describe;
mod driver;
mod dropped;
mod eight_calls;
mod ended;
mod events;
mod events_json;
mod executor;
mod fed_back;
mod forged;
mod gates;
mod guards;
mod halted;
mod history;
mod hooks;
mod hostile;
mod idle;
mod imported;
mod inputs;
mod intents;
mod late_items;
mod left_children;
mod lifecycle;
mod listening;
mod long_inputs;
mod long_step;
mod looks;
mod loose_ends;
mod malformed;
mod many_calls;
mod masked;
mod meddled;
mod memory;
mod metadata;
mod model_retries;
mod new_task;
mod orchestrate_agent;
mod orchestrate_chat;
mod orchestrate_chat_agents;
mod orchestrate_collaboration;
mod orchestrate_tool_use;
mod over_bound;
mod overriding;
mod panics;
mod permissions;
mod permitted;
mod prompt;
mod prompted;
mod random;
mod react;
mod released;
mod requests;
mod rest;
mod run;
mod run_again;
mod samples;
mod scripted;
mod selection;
mod session;
mod sets;
mod settings;
mod shared_sets;
mod stepping;
mod stream;
mod subagents;
mod subagents_inherit;
mod subagents_links;
mod subagents_stopped;
mod survives;
mod taken_up;
mod tasks;
mod time;
mod timeouts;
mod tools;
mod toolsets;
mod traced;
mod trees;
mod typed_hooks;
mod undo;
mod undo_hidden;
mod undo_told;
mod unfinished;
mod unlisted;
mod unreadable;
mod walk;
mod watching;

/// Every file beside this one is part of the tests.
#[test]
fn no_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.trim_end_matches(".rs");
        assert!(
            ["main", "snapshots"].contains(&module) || main.contains(&format!("mod {module};")),
            "{name} is no module"
        );
    }
}
