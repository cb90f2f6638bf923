//! `legwork sessions set`: settings of a session, also while another process runs it.

use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, started, text};

fn server() -> Server {
    let list = |_| Turn::call("list", json!({"path": "."}));
    let turns: Vec<_> = (0..3)
        .map(list)
        .chain(["One.", "Two.", "Three.", "Four.", "Five."].map(Turn::text))
        .collect();
    Server::start(turns).unwrap()
}

fn model(server: &Server, request: usize) -> String {
    text(&server.requests()[request].body, "model")
}

/// The entries of a session, of one type.
fn entries(home: &Home, id: &str, kind: &str) -> Vec<Value> {
    let shown = home.ran(&["sessions", "show", "--json", id]).ends(0).events();
    shown.into_iter().filter(|entry| entry["type"] == kind).collect()
}

/// A session that a limit stopped after its first step.
fn stopped(home: &Home, server: &Server) -> String {
    let args = ["run", "--json", "--sandbox", "off", "--max-steps", "1", "Work"];
    home.ran_with(server, &args).ends(3).session()
}

#[test]
fn s8_11_what_is_set_for_an_idle_session_is_what_it_goes_on_with() {
    let (home, server) = (Home::new(), server());
    let id = stopped(&home, &server);
    fs::write(home.work().join("prompt.md"), "Be kind.").unwrap();
    let set = ["sessions", "set", &id, "--model", "test:other", "--max-steps", "9"];
    let more = ["--instructions", "@prompt.md", "--metadata", "ticket={\"id\":17}"];
    let said = home.ran_with(&server, &[&set[..], &more].concat()).ends(0).out;
    assert!(
        said.starts_with("set: it applies from the next step on\nto go on: legwork resume"),
        "{said}"
    );
    let shown = home.ran(&["sessions", "show", &id]).ends(0).out;
    assert!(shown.contains("(set: model test:other, instructions, 9 steps)"), "{shown}");
    let metadata = entries(&home, &id, "metadata_set").pop().unwrap();
    assert_eq!(metadata["body"], json!({"key": "ticket", "value": {"id": 17}}));

    home.ran_with(&server, &["resume", &id, "--sandbox", "off"]).ends(0);
    assert_eq!(model(&server, 1), "other");
    assert!(server.requests()[1].body.to_string().contains("Be kind."));
    assert!(!server.requests()[1].body.to_string().contains("You are Legwork"));
    // It stays so with a new task; a flag is set in its place.
    let run = |flags: &[&str]| {
        let args = ["run", "--session", &id, "--sandbox", "off", "More"];
        home.ran_with(&server, &[&args[..], flags].concat()).ends(0);
        model(&server, server.requests().len() - 1)
    };
    assert_eq!(run(&[]), "other");
    assert_eq!(run(&["--model", "test:third"]), "third");
    assert_eq!(run(&[]), "third");
    home.ran_with(&server, &["sessions", "set", &id, "--reset"]).ends(0);
    assert_eq!(run(&[]), "third");
    assert!(server.requests().pop().unwrap().body.to_string().contains("You are Legwork"));
}

#[test]
fn s8_11_a_reset_leads_back_to_what_the_session_was_begun_with() {
    let list = || Turn::call("list", json!({"path": "."}));
    let turns = [Turn::text("One."), list(), list(), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let args = ["run", "--json", "--sandbox", "off", "Work"];
    let id = home.ran_with(&server, &args).ends(0).session();
    let first = model(&server, 0);
    let set = ["sessions", "set", &id, "--model", "test:other", "--max-steps", "1"];
    home.ran_with(&server, &set).ends(0);
    let run = |code| {
        let args = ["run", "--session", &id, "--sandbox", "off", "More"];
        home.ran_with(&server, &args).ends(code);
        model(&server, server.requests().len() - 1)
    };
    assert_eq!(run(3), "other");
    assert_eq!(entries(&home, &id, "defined").len(), 1, "the definition is that of the agent");
    home.ran_with(&server, &["sessions", "set", &id, "--reset"]).ends(0);
    assert_eq!(run(0), first);
    assert_eq!(entries(&home, &id, "defined").len(), 1);
}

#[test]
fn s8_11_limits_are_cut_while_a_process_runs_the_session_and_raised_after_it() {
    let (home, server) = (Home::new(), server());
    server.hold(0);
    let mut run = started(home.with(&server, &["run", "--json", "--sandbox", "off", "Work"]));
    let id = text(&run.until("step_started"), "session");
    server.arrived_blocking(0);
    let said = home.ran(&["sessions", "set", &id, "--max-steps", "1", "--json"]).ends(0).last();
    assert_eq!((&said["item"], &said["taken_up"]), (&json!("set"), &json!(false)));
    server.release(0);
    let ended = run.end().ends(3);
    assert_eq!(ended.last()["stop_reason"], "steps_limit");
    let raised = home.ran_with(&server, &["sessions", "set", &id, "--max-steps", "50"]).ends(0);
    assert!(raised.out.contains("legwork resume"), "{}", raised.out);
    home.ran_with(&server, &["resume", &id, "--sandbox", "off"]).ends(0);
}

#[test]
fn s13_9_s8_11_a_limit_that_is_set_exceeds_none_of_the_user() {
    let (home, server) = (Home::new(), server());
    home.settings("budget.steps = 2");
    let id = stopped(&home, &server);
    let set = home.ran_with(&server, &["sessions", "set", &id, "--max-steps", "90"]).ends(0);
    set.says("your own settings have a lower limit");
    for args in [&["resume", &id, "--sandbox", "off"][..], &["resume", &id, "--sandbox", "off"]] {
        home.ran_with(&server, args).ends(3);
    }
    assert_eq!(server.requests().len(), 2, "the third step was not made");
    // A worker takes nobody's word for it either.
    home.ran_with(&server, &["follow-up", &id, "Go on"]).ends(0);
    home.ran_with(&server, &["work", "--until-idle", "--sandbox", "off"]).ends(0);
    assert_eq!(server.requests().len(), 4);
    home.ran_with(&server, &["resume", &id, "--sandbox", "off", "--max-steps", "90"]).ends(0);
}

#[test]
fn s8_11_what_cannot_be_set_is_said() {
    let (home, server) = (Home::new(), server());
    let id = stopped(&home, &server);
    let wrong = |flags: &[&str], code, words: &str| {
        let args = [&["sessions", "set", &id], flags].concat();
        home.ran_with(&server, &args).ends(code).says(words);
    };
    wrong(&[], 2, "required arguments");
    wrong(&["--model", "opneai:gpt-5"], 2, "did you mean `openai`");
    wrong(&["--model", "test:other?temperature=1"], 2, "options of a model");
    wrong(&["--metadata", "ticket=A-1"], 2, "is not JSON");
    wrong(&["--metadata", "cli={}"], 2, "keeps its own settings there");
    wrong(&["--max-steps", "0"], 2, "from 1 on");
    let unknown = ["sessions", "set", "nowhere", "--model", "test:other"];
    home.ran_with(&server, &unknown).ends(2).says("nowhere");
    assert!(entries(&home, &id, "inbox_taken").is_empty());
}

#[test]
fn s8_11_what_cannot_be_set_is_refused_at_once() {
    let (home, server) = (Home::new(), server());
    let id = stopped(&home, &server);
    let refused = |args: &[&str]| {
        let set = [&["sessions", "set", &id], args].concat();
        home.ran_with(&server, &set).ends(2).err
    };
    for model in ["nonsense", ":x", "openai:"] {
        let said = refused(&["--model", model]);
        assert!(said.contains(&format!("the model `{model}` cannot be used")), "{said}");
        assert!(said.contains("PROVIDER:NAME"), "{said}");
    }
    let said = refused(&["--instructions", ""]);
    assert!(said.contains("the instructions are empty"), "{said}");
    assert!(said.contains("--instructions \"") && !said.contains("notes.txt"), "{said}");
    assert_eq!(entries(&home, &id, "settings_set"), [] as [Value; 0]);
}
