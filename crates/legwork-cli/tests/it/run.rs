//! `legwork run`: what it shows, how it ends, what it takes.

use std::collections::BTreeSet;
use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use crate::home::{Home, fed, text};

fn notes() -> [Turn; 3] {
    [
        Turn::call("read", json!({"path": "notes.txt"})).with_text("I look at the notes."),
        Turn::call("bash", json!({"command": "echo one; echo two"})),
        Turn::text("There are three lines.\nThat is all."),
    ]
}

fn home_with_notes() -> Home {
    let home = Home::new();
    fs::write(home.work().join("notes.txt"), "a\nb\nc\n").unwrap();
    home
}

#[test]
fn the_answer_goes_to_standard_output_and_all_else_to_standard_error() {
    let (home, server) = (home_with_notes(), Server::start(notes()).unwrap());
    let ran = home.ran_with(&server, &["run", "--sandbox", "off", "Count the lines"]).ends(0);
    assert_eq!(ran.out, "I look at the notes.\nThere are three lines.\nThat is all.\n");
    let ran = ran.says("warning: commands run without a sandbox (--sandbox off)\n");
    let ran = ran.says("✓ read notes.txt (").says("→ 3 lines: 3 c\n");
    let ran = ran.says("✓ bash echo one; echo two (").says("→ 2 lines: two\n");
    let ran = ran.says("3 steps · 2 tool calls · 30 tokens in, 15 out · ");
    assert!(!ran.err.contains('\x1b'), "{:?}", ran.err);
    assert!(!ran.err.contains("legwork resume"), "{}", ran.err);
}

#[test]
fn json_tells_one_event_a_line() {
    let (home, server) = (home_with_notes(), Server::start(notes()).unwrap());
    let ran = home.ran_with(&server, &["run", "--json", "--sandbox", "off", "Count"]).ends(0);
    let step = ["step_started", "inference_started", "tool_started", "tool_finished"];
    let mut wanted = vec!["execution_started", "warning"];
    for _ in 0..2 {
        wanted.extend(step);
        wanted.push("step_finished");
    }
    wanted.extend(["step_started", "inference_started", "step_finished", "execution_finished"]);
    let events = ran.events();
    let listed: BTreeSet<_> = wanted.iter().copied().collect();
    let kinds = ran.kinds().into_iter().filter(|kind| listed.contains(kind.as_str()));
    assert_eq!(kinds.collect::<Vec<_>>(), wanted);
    assert_eq!(ran.err, "");
    // Each entry of the journal is in it once, in order.
    let committed = events.iter().filter(|event| event["type"] == "committed");
    let entries = committed.flat_map(|event| event["entries"].as_array().unwrap());
    let shown = home.ran(&["sessions", "show", "--json", &ran.session()]).ends(0).events();
    assert_eq!(entries.collect::<Vec<_>>(), shown.iter().collect::<Vec<_>>());

    let session = text(&events[0], "session");
    assert!(events.iter().all(|event| event["session"] == *session), "{}", ran.out);
    let steps = |kind: &str| -> Vec<_> {
        let of = events.iter().filter(|event| event["type"] == kind);
        of.map(|event| event["step"].as_u64().unwrap()).collect()
    };
    assert_eq!(steps("step_started"), [1, 2, 3]);
    assert_eq!(steps("tool_finished"), [1, 2]);
    let deltas = events.iter().filter(|event| event["type"] == "text_delta" && event["step"] == 3);
    let told: String = deltas.map(|event| text(event, "text")).collect();
    assert_eq!(told, "There are three lines.\nThat is all.");

    let tool = events.iter().find(|event| event["type"] == "tool_finished").unwrap();
    assert_eq!(tool["call"]["name"], "read");
    assert_eq!(tool["call"]["arguments"], r#"{"path":"notes.txt"}"#);
    assert!(tool["outcome"]["ok"].is_array(), "{tool}");

    let last = ran.last();
    assert_eq!(last["status"], "completed");
    assert_eq!(last["stop_reason"], "completed");
    assert_eq!(last["text"], "There are three lines.\nThat is all.");
    assert_eq!(last["used"]["steps"], 3);
    assert_eq!(last["used"]["tool_calls"], 2);
    assert_eq!((&last["used"]["input"], &last["used"]["output"]), (&json!(30), &json!(15)));
    assert_eq!(last["used"]["cost"], json!(null));
    assert_eq!(last["next"], json!(null));
}

#[test]
fn thinking_is_told_to_programs_and_costs_are_told_where_they_are_known() {
    let home = Home::new();
    let server = Server::start([Turn::text("4").with_thinking("two and two")]).unwrap();
    let args = ["run", "--json", "--model", "openai:gpt-5-mini", "2+2?"];
    let ran = home.ran_with(&server, &args).ends(0);
    let thought: String = ran
        .events()
        .iter()
        .filter(|e| e["type"] == "thinking_delta")
        .map(|e| text(e, "text"))
        .collect();
    assert_eq!(thought, "two and two");
    // 10 tokens at 0.25 and 5 at 2.00 dollars a million, rounded up.
    assert_eq!(ran.last()["used"]["cost"], 13);
}

#[test]
fn the_model_is_told_the_workspace_the_platform_and_the_task() {
    let (home, server) = (Home::new(), Server::start([Turn::text("ok")]).unwrap());
    let dir = home.work().join("deep");
    fs::create_dir(&dir).unwrap();
    let args = ["run", "--dir", dir.to_str().unwrap(), "Say ok"];
    home.ran_with(&server, &args).ends(0);
    let asked = &server.requests()[0].asked;
    let root = dir.canonicalize().unwrap();
    assert!(asked.instructions.contains(root.to_str().unwrap()), "{}", asked.instructions);
    assert!(asked.instructions.contains(std::env::consts::OS), "{}", asked.instructions);
    assert_eq!(
        asked.tools,
        ["read", "write", "edit", "list", "search", "bash", "bash_output", "ask_user"]
    );
    assert_eq!(asked.last(), "Say ok");
    assert_eq!(asked.model, "scripted");
    assert!(asked.stream);
}

#[test]
fn flags_come_before_the_environment() {
    let home = Home::new();
    let (by_flag, by_environment) =
        (Server::start([Turn::text("1")]).unwrap(), Server::start([Turn::text("2")]).unwrap());
    let url = by_flag.base_url();
    let args = ["run", "--model", "my:other", "--base-url", &url, "which?"];
    let ran = home.ran_with(&by_environment, &args).ends(0);
    assert_eq!(ran.out, "1\n");
    assert_eq!(by_flag.requests()[0].asked.model, "other");
    assert_eq!(by_environment.requests().len(), 0);
}

#[test]
fn the_key_is_sent_and_never_stored() {
    let home = Home::new();
    let server =
        Server::start(legwork_testkit::Script::from([Turn::text("in")]).only_key("sk-very-secret"))
            .unwrap();
    let mut command = home.with(&server, &["run", "--json", "open"]);
    command.env("OPENAI_API_KEY", "sk-very-secret");
    let ran = crate::home::ran(command).ends(0);
    let shown = home.ran(&["sessions", "show", "--json", &ran.session()]).ends(0);
    assert!(shown.out.contains("execution_finished"), "{}", shown.out);
    let files = [home.store(), home.store().with_extension("db-wal")];
    let bytes = files.iter().filter_map(|file| fs::read(file).ok()).flatten().collect::<Vec<_>>();
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains("very-secret") && !shown.out.contains("very-secret"));
}

#[test]
fn a_limit_stops_and_a_raised_one_lets_it_go_on() {
    let home = home_with_notes();
    let server = Server::start(notes()).unwrap();
    let args = ["run", "--json", "--sandbox", "off", "--max-steps", "1", "Count"];
    let ran = home.ran_with(&server, &args).ends(3);
    let last = ran.last();
    assert_eq!((&last["type"], &last["status"]), (&json!("execution_finished"), &json!("stopped")));
    assert_eq!(last["stop_reason"], "steps_limit");
    let id = ran.session();
    assert_eq!(last["next"]["how"], format!("legwork resume {id} --sandbox off --max-steps 2"));

    let same = home.ran_with(&server, &["resume", "--json", &id]).ends(3);
    assert_eq!(same.last()["stop_reason"], "steps_limit");
    let on = home.ran_with(&server, &["resume", "--max-steps", "9", &id]).ends(0);
    assert_eq!(on.out, "There are three lines.\nThat is all.\n");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_stop_by_a_limit_is_explained_with_the_way_on() {
    let (home, server) = (home_with_notes(), Server::start(notes()).unwrap());
    let args = ["run", "--sandbox", "off", "--max-steps", "1", "Count"];
    let ran = home.ran_with(&server, &args).ends(3);
    ran.says("stopped: the limit of 1 step")
        .says("to go on: legwork resume ")
        .says("--max-steps 2");
}

#[test]
fn a_task_of_five_megabytes_comes_by_standard_input() {
    let (home, server) = (Home::new(), Server::start([Turn::text("long")]).unwrap());
    let task = "0123456789abcde\n".repeat(5 * 65_536);
    for args in [&["run", "-"][..], &["run"]] {
        let ran = fed(home.with(&server, args), task.as_bytes()).ends(0);
        assert_eq!(ran.out, "long\n");
    }
    assert_eq!(server.requests()[1].asked.last(), task);
    let listed = home.ran(&["sessions", "list"]).ends(0);
    assert!(listed.out.contains("0123456789abcde"), "{}", listed.out);
    assert!(listed.out.len() < 1_000);
}

#[test]
fn a_finished_session_can_be_given_more_to_do() {
    let home = Home::new();
    let server = Server::start([Turn::text("first"), Turn::text("second")]).unwrap();
    let ran = home.ran_with(&server, &["run", "--json", "one"]).ends(0);
    let id = ran.session();
    let more = home.ran_with(&server, &["run", "--session", &id, "two"]).ends(0);
    assert_eq!(more.out, "second\n");
    let said: Vec<_> = server.requests()[1].asked.messages.iter().map(|m| m.text.clone()).collect();
    assert_eq!(said, ["one", "first", "two"]);
}
