//! Limits on money, tokens and time: by flag and file, kept, told, and raised.

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, Ran, ran, text};

fn turns() -> [Turn; 2] {
    [Turn::call("bash", json!({"command": "true"})), Turn::text("Done.")]
}

fn run(home: &Home, server: &Server, flags: &[&str]) -> Ran {
    let args = ["run", "--json", "--sandbox", "off"];
    home.ran_with(server, &[&args[..], flags, &["Work"]].concat())
}

/// The budget that a session was begun with.
fn budget(home: &Home, id: &str) -> Value {
    let shown = home.ran(&["sessions", "show", "--json", id]).ends(0).events();
    let budget = |entry: &Value| entry.pointer("/body/definition/budget").cloned();
    shown.iter().find_map(budget).unwrap()
}

#[test]
fn limits_of_flags_are_those_of_the_agent() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Hi.")]).unwrap());
    let flags = ["--max-tokens", "50000", "--max-time", "2m", "--max-steps", "7"];
    let id = run(&home, &server, &flags).ends(0).session();
    let wanted = json!({"steps": 7, "total_tokens": 50000, "active_time": 120_000_000});
    assert_eq!(budget(&home, &id), wanted);
}

#[test]
fn a_limit_on_tokens_stops_and_a_raised_one_goes_on() {
    let (home, server) = (Home::new(), Server::start(turns()).unwrap());
    let ended = run(&home, &server, &["--max-tokens", "10"]).ends(3);
    assert_eq!(ended.last()["stop_reason"], "token_limit");
    let next = text(&ended.last()["next"], "how");
    let begin = format!("legwork resume {} --sandbox off --max-tokens ", ended.session());
    assert!(next.starts_with(&begin), "{next}");
    // What it says goes on, at once or after it was said again.
    let mut next = next;
    for _ in 0..8 {
        let args: Vec<_> = next.split(' ').skip(1).collect();
        let resumed = home.ran_with(&server, &[&args[..], &["--json"]].concat());
        next = text(&resumed.last()["next"], "how");
        if next.is_empty() {
            assert_eq!(resumed.ends(0).last()["text"], "Done.");
            return;
        }
    }
    panic!("it never went on: {next}");
}

#[test]
fn a_limit_on_cost_needs_a_price_and_says_where_it_was_set() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Hi.")]).unwrap());
    let told = home.ran_with(&server, &["run", "--max-usd", "1", "Work"]).ends(2);
    told.says("the cost is limited (--max-usd)").says("the price of `test:scripted` is not known");
    home.settings("budget.usd = 1");
    let told = home.ran_with(&server, &["run", "Work"]).ends(2);
    told.says("(~/.config/legwork/legwork.toml:1)").says("--max-tokens");
    assert!(!home.store().exists());
    // A model with a price, and one of this machine, which costs nothing.
    let priced = ["run", "--model", "openai:gpt-5-mini", "Work"];
    home.ran_with(&server, &priced).ends(0);
    let url = server.base_url();
    home.ran(&["run", "--model", "ollama:q", "--base-url", &url, "Work"]).ends(0);
}

#[test]
fn a_limit_on_cost_stops_and_names_its_flag() {
    let (home, server) = (Home::new(), Server::start(turns()).unwrap());
    let flags = ["--model", "openai:gpt-5-mini", "--max-usd", "0.0001"];
    let ended = run(&home, &server, &flags).ends(3);
    assert_eq!(ended.last()["stop_reason"], "cost_limit");
    let next = text(&ended.last()["next"], "how");
    assert!(next.contains(" --max-usd 0."), "{next}");
    let args: Vec<_> = next.split(' ').skip(1).collect();
    home.ran_with(&server, &[&args[..], &["--max-usd", "1"]].concat()).ends(2);
    home.ran_with(&server, &["resume", &ended.session(), "--max-usd", "1"]).ends(0);
}

#[test]
fn a_session_keeps_its_limits_when_the_file_changes() {
    let (home, server) = (Home::new(), Server::start(turns()).unwrap());
    home.settings("budget.steps = 1\nbudget.time = '9m'");
    let id = run(&home, &server, &[]).ends(3).session();
    home.settings("budget.steps = 50");
    let mut command = home.with(&server, &["resume", &id]);
    command.env("LEGWORK_MAX_STEPS", "50");
    ran(command).ends(3);
    home.ran_with(&server, &["resume", &id, "--max-steps", "2"]).ends(0);
    let last = home.ran(&["sessions", "show", "--json", &id]).ends(0).out;
    assert_eq!(last.matches("540000000").count(), 2, "{last}");
}

#[test]
fn amounts_that_are_none_are_refused() {
    let home = Home::new();
    for flags in [
        ["--max-usd", "0"],
        ["--max-usd", "nan"],
        ["--max-usd", "inf"],
        ["--max-usd", "much"],
        ["--max-tokens", "0"],
        ["--max-time", "0.5"],
    ] {
        home.ran(&["run", flags[0], flags[1], "x"]).ends(2).says(flags[0]);
    }
    home.ran(&["run", "--model", "ollama:q", "--allow-path", "", "x"]).ends(2).says("empty");
    std::fs::write(home.work().join("one"), "file").unwrap();
    home.ran(&["run", "--model", "ollama:q", "--allow-path", "one", "x"])
        .ends(2)
        .says("not a single file");
}
