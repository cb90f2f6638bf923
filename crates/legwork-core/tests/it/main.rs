//! The core, tested in the words of the domain; a test names the rule it covers.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod accessors;
mod arbitrary;
mod budget;
mod changes;
mod chats;
mod chunked;
mod context;
mod continuation;
mod decide;
mod digest;
mod due;
mod entry;
mod error_policy;
mod evaluate;
mod facts;
mod forks;
mod golden;
mod grants;
mod hidden;
mod hostile;
mod journal;
mod ledger;
mod limits;
mod lineage;
mod lines;
mod malformed;
mod masked;
mod messages;
mod nearest;
mod owed;
mod progress;
mod properties;
mod reopen;
mod results;
mod samples;
mod sessions;
mod state;
mod story;
mod summary;
mod time_left;
mod times;
mod tools;
mod traced;
mod transitions;
mod trees;
mod undo;
mod vector;
mod words;

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
