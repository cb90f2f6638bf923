//! Others who speak to a session that an editor has open.

use legwork_testkit::{Server, Turn};
use serde_json::json;

use super::editor::Editor;
use crate::home::Home;

#[test]
fn s17_6_what_is_approved_elsewhere_runs_and_the_editor_need_not_answer() {
    let write = Turn::call("write", json!({"path": "a.txt", "content": "text\n"}));
    let (home, server) = (Home::new(), Server::start([write, Turn::text("Done.")]).unwrap());
    let mut editor = Editor::start(&home, &server, &["--approve", "writes"]);
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "Write it");
    let asked = editor.hears("session/request_permission");
    home.ran(&["approve", &session]).ends(0);
    let withdrawn = editor.hears("$/cancel_request");
    assert_eq!(withdrawn["params"]["requestId"], asked["id"]);
    assert_eq!(editor.stops(id), "end_turn");
    assert!(home.work().join("a.txt").exists());
    assert_eq!(editor.updates("tool_call").len(), 1);
}

#[test]
fn s17_6_what_another_process_says_reaches_the_agent_and_is_shown() {
    let turns = [
        Turn::call("list", json!({"path": "."})),
        Turn::text("In French."),
        Turn::text("In French, then."),
    ];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    server.hold(0);
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "Look");
    server.arrived_blocking(0);
    home.ran(&["steer", &session, "Answer in French"]).ends(0);
    server.release(0);
    assert_eq!(editor.stops(id), "end_turn");
    assert_eq!(editor.words("user_message_chunk"), "Answer in French");
    let asked = server.requests().last().unwrap().body["messages"].to_string();
    assert!(asked.contains("Answer in French"), "{asked}");
}

#[test]
fn s17_6_a_session_that_another_process_runs_is_left_to_it() {
    let turns = [Turn::text("Hello."), Turn::text("Long.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    assert_eq!(editor.turn(&session, "Say hello"), "end_turn");
    server.hold(1);
    let command = home.with(&server, &["run", "--json", "--session", &session, "Work long"]);
    let running = crate::home::started(command);
    server.arrived_blocking(1);
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "Hi"}]});
    let refused = editor.refused("session/prompt", &prompt);
    assert!(refused["message"].as_str().unwrap().contains("in use"), "{refused}");
    server.release(1);
    running.end().ends(0);
}
