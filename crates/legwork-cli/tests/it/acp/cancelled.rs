//! `session/cancel`: it interrupts the turn, and the session can go on.

use legwork_testkit::{Server, Turn};
use serde_json::json;

use super::editor::Editor;
use crate::home::Home;

#[test]
fn s17_4_a_cancelled_turn_ends_as_cancelled_and_the_next_prompt_begins_another() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Fresh.")]).unwrap());
    server.hold(0);
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "Work");
    server.arrived_blocking(0);
    let refused = editor.prompts(&session, "And this");
    let refused = editor.response(refused);
    assert!(refused["error"]["message"].as_str().unwrap().contains("under way"), "{refused}");
    editor.notify("session/cancel", &json!({"sessionId": session}));
    assert_eq!(editor.stops(id), "cancelled");
    server.release(0);
    assert_eq!(editor.turn(&session, "Something else"), "end_turn");
    assert_eq!(editor.words("agent_message_chunk"), "Fresh.");
}

#[test]
fn s17_4_a_cancelled_turn_can_be_resumed() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Resumed.")]).unwrap());
    server.hold(0);
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    let commands = editor.sees("available_commands_update");
    assert_eq!(commands["availableCommands"][0]["name"], "resume");
    let id = editor.prompts(&session, "Work");
    server.arrived_blocking(0);
    editor.notify("session/cancel", &json!({"sessionId": session}));
    assert_eq!(editor.stops(id), "cancelled");
    server.release(0);
    assert_eq!(editor.turn(&session, "/resume"), "end_turn");
    assert_eq!(editor.words("agent_message_chunk"), "Resumed.");
    let asked = server.requests().last().unwrap().body["messages"].to_string();
    assert!(asked.contains("Work") && !asked.contains("/resume"), "{asked}");
}

#[test]
fn s17_4_cancelling_withdraws_the_question_and_nothing_runs() {
    let write = Turn::call("write", json!({"path": "a.txt", "content": "text\n"}));
    let (home, server) = (Home::new(), Server::start([write, Turn::text("Done.")]).unwrap());
    let mut editor = Editor::start(&home, &server, &["--approve", "writes"]);
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "Write it");
    let asked = editor.hears("session/request_permission");
    editor.notify("session/cancel", &json!({"sessionId": session}));
    let withdrawn = editor.hears("$/cancel_request");
    assert_eq!(withdrawn["params"]["requestId"], asked["id"]);
    // As the protocol wants it of the editor.
    editor.answers(&asked, &json!({"outcome": {"outcome": "cancelled"}}));
    assert_eq!(editor.stops(id), "cancelled");
    assert!(!home.work().join("a.txt").exists());
}

#[test]
fn s17_4_closing_a_session_interrupts_its_turn() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Never read.")]).unwrap());
    server.hold(0);
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "Work");
    server.arrived_blocking(0);
    let close = editor.request("session/close", &json!({"sessionId": session}));
    editor.response(close);
    assert_eq!(editor.stops(id), "cancelled");
    server.release(0);
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "Hi"}]});
    assert_eq!(editor.refused("session/prompt", &prompt)["code"], -32002);
}
