//! Project context: told to the agent, shown by `legwork context`, left out on request.

use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, text};

/// A home whose workspace is a repository with a file for the agent.
fn home() -> Home {
    let home = Home::new();
    fs::create_dir(home.work().join(".git")).unwrap();
    fs::write(home.work().join("AGENTS.md"), "Always say please.\n").unwrap();
    home
}

/// What the agent was told first in a request.
fn instructions(server: &Server, request: usize) -> String {
    text(&server.requests()[request].body["messages"][0], "content")
}

#[test]
fn the_agent_is_told_what_the_files_say() {
    let home = home();
    fs::create_dir(home.work().join("sub")).unwrap();
    fs::write(home.work().join("sub/AGENTS.md"), "Never shout.\n").unwrap();
    let own = home.work().join("../.config/legwork");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("AGENTS.md"), "I like tabs.\n").unwrap();
    let server = Server::start([Turn::text("hi")]).unwrap();
    home.ran_with(&server, &["run", "--dir", "sub", "x"]).ends(0);
    let told = instructions(&server, 0);
    let at = |words: &str| told.find(words).unwrap_or_else(|| panic!("no {words:?} in {told}"));
    assert!(at("You are Legwork") < at("I like tabs."));
    assert!(at("I like tabs.") < at("Always say please."));
    assert!(at("Always say please.") < at("Never shout."));
    assert!(at("work/sub/AGENTS.md") < at("Never shout."));
    home.ran_with(&server, &["run", "--no-context", "x"]).ends(0);
    assert!(!instructions(&server, 1).contains("please"));
}

#[test]
fn what_is_skipped_is_told_and_the_run_goes_on() {
    let home = home();
    fs::remove_file(home.work().join("AGENTS.md")).unwrap();
    home.pipe("AGENTS.md");
    let server = Server::start([Turn::text("hi")]).unwrap();
    let told = home.ran_with(&server, &["run", "x"]).ends(0);
    told.says("warning: ").says("AGENTS.md: skipped: it is a pipe");
    home.ran(&["context"]).ends(0).says("skipped: it is a pipe");
}

#[test]
fn s10_4_a_changed_context_is_told_anew_when_a_session_is_resumed() {
    let home = home();
    let read = Turn::call("read", json!({"path": "AGENTS.md"}));
    let server = Server::start([read, Turn::text("Done."), Turn::text("More.")]).unwrap();
    let args = ["run", "--json", "--max-steps", "1", "x"];
    let id = home.ran_with(&server, &args).ends(3).session();
    fs::write(home.work().join("AGENTS.md"), "Be brief.\n").unwrap();
    let resumed = home.ran_with(&server, &["resume", &id, "--max-steps", "2"]).ends(0);
    let note = "the project context (AGENTS.md) has changed; the model gets the new one";
    assert!(resumed.err.lines().any(|line| line == note), "{}", resumed.err);
    assert!(
        instructions(&server, 1).contains("Be brief.")
            && !instructions(&server, 1).contains("please")
    );
    let shown = home.ran(&["sessions", "show", "--json", &id]).ends(0).events();
    let defined = shown.iter().filter(|entry| entry.to_string().contains("Be brief.")).count();
    assert_eq!(defined, 1, "the new definition is journaled once");
    // Unchanged, nothing is said.
    let more = home.ran_with(&server, &["run", "--session", &id, "more"]).ends(0);
    assert!(!more.err.contains("context"), "{}", more.err);
}

#[test]
fn a_session_without_context_stays_without() {
    let home = home();
    let turns = [Turn::call("read", json!({"path": "AGENTS.md"})), Turn::text("Done.")];
    let server = Server::start(turns).unwrap();
    let args = ["run", "--json", "--no-context", "--max-steps", "1", "x"];
    let id = home.ran_with(&server, &args).ends(3).session();
    let resumed = home.ran_with(&server, &["resume", &id, "--max-steps", "2"]).ends(0);
    assert!(!instructions(&server, 1).contains("please") && !resumed.err.contains("context"));
}

#[test]
fn the_table_tells_what_each_part_takes() {
    let home = home();
    let told = home.ran(&["context"]).ends(0);
    let lines: Vec<_> = told.out.lines().collect();
    assert_eq!(lines.len(), 5, "{}", told.out);
    assert_eq!(lines[0], "tokens   lines  source");
    assert!(lines[1].ends_with("the agent's own instructions") && lines[2].ends_with("8 tools"));
    assert!(lines[3].contains("     1  /") && lines[3].ends_with("work/AGENTS.md"), "{}", lines[3]);
    assert!(lines[4].ends_with("in all, before the first word"));
    let json = home.ran(&["context", "--json"]).ends(0).last();
    let parts = json["parts"].as_array().unwrap();
    let sum: u64 = parts.iter().map(|part| part["tokens"].as_u64().unwrap()).sum();
    assert_eq!((json["total_tokens"].as_u64(), &json["exact"]), (Some(sum), &Value::Bool(true)));
    assert_eq!((text(&parts[2], "kind"), &parts[2]["lines"]), ("file".into(), &json!(1)));
    let other = home.ran(&["context", "--model", "ollama:qwen3"]).ends(0).out;
    assert!(other.lines().nth(1).unwrap().trim_start().starts_with("≈ "), "{other}");
    assert!(!home.store().exists());
}

#[test]
fn the_context_adds_to_what_a_request_holds() {
    let home = home();
    fs::write(home.work().join("AGENTS.md"), "word ".repeat(100)).unwrap();
    let json = home.ran(&["context", "--json"]).ends(0).last();
    let tokens = json["parts"][2]["tokens"].as_u64().unwrap();
    assert!((100..150).contains(&tokens), "{json}");
}
