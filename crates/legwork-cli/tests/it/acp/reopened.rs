//! Old sessions: told again, taken up without a word, listed.

use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use super::editor::Editor;
use crate::home::Home;

#[test]
fn s17_5_a_session_is_told_again_after_the_command_was_killed() {
    let turns = [
        Turn::call("write", json!({"path": "a.txt", "content": "one\n"})).with_text("I begin."),
        Turn::text("It is there."),
    ];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    server.hold(1);
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    editor.prompts(&session, "Write it");
    server.arrived_blocking(1);
    editor.kill();
    server.release(1);

    let mut editor = Editor::start(&home, &server, &[]);
    let place = json!({"sessionId": session, "cwd": home.work(), "mcpServers": []});
    let loaded = editor.call("session/load", &place);
    assert_eq!(loaded["modes"]["currentModeId"], "ask");
    assert_eq!(editor.words("user_message_chunk"), "Write it");
    assert_eq!(editor.words("agent_message_chunk"), "I begin.");
    let began = editor.updates("tool_call");
    assert_eq!((began.len(), &began[0]["title"]), (1, &json!("write a.txt")));
    let ended = editor.updates("tool_call_update");
    assert_eq!((ended.len(), &ended[0]["status"]), (1, &json!("completed")));
    assert_eq!(ended[0]["content"][0]["newText"], "one\n");
    // All of it comes before the answer, and nothing runs.
    let last = editor.said.last().unwrap();
    assert_eq!(last["result"]["modes"]["currentModeId"], "ask");
    assert_eq!(server.requests().len(), 2);
    assert_eq!(fs::read_to_string(home.work().join("a.txt")).unwrap(), "one\n");

    editor.forgets();
    assert_eq!(editor.turn(&session, "/resume"), "end_turn");
    assert_eq!(editor.words("agent_message_chunk"), "It is there.");
    assert!(editor.updates("tool_call").is_empty(), "the call does not run again");
}

#[test]
fn s17_5_a_session_is_taken_up_without_a_word_and_remembers() {
    let turns = [Turn::text("Hello."), Turn::text("As I said.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    assert_eq!(editor.turn(&session, "Say hello"), "end_turn");
    assert_eq!(editor.end().0, Some(0));
    let mut editor = Editor::start(&home, &server, &[]);
    let place = json!({"sessionId": session, "cwd": home.work(), "mcpServers": []});
    editor.call("session/resume", &place);
    editor.sees("available_commands_update");
    assert_eq!(editor.updates("user_message_chunk").len(), 0);
    assert_eq!(editor.turn(&session, "What did you say?"), "end_turn");
    let asked = server.requests().last().unwrap().body["messages"].to_string();
    assert!(asked.contains("Say hello") && asked.contains("Hello."), "{asked}");
}

#[test]
fn s17_5_sessions_are_listed_with_the_directory_that_they_were_begun_in() {
    let turns = [Turn::text("One."), Turn::text("Two.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let below = home.work().join("below");
    fs::create_dir(&below).unwrap();
    home.ran_with(&server, &["run", "--dir", "below", "Look below"]).ends(0);
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    assert_eq!(editor.turn(&session, "Look here"), "end_turn");
    let all = editor.call("session/list", &json!({}));
    let of = |index: usize| (&all["sessions"][index]["cwd"], &all["sessions"][index]["title"]);
    let work = home.work().canonicalize().unwrap();
    assert_eq!(of(0), (&json!(work), &json!("Look here")));
    assert_eq!(of(1), (&json!(work.join("below")), &json!("Look below")));
    assert_eq!(all["sessions"][0]["sessionId"], json!(session));
    let at = all["sessions"][0]["updatedAt"].as_str().unwrap();
    assert!(at.len() == 20 && at.contains('T') && at.ends_with('Z'), "{at}");
    let some = editor.call("session/list", &json!({"cwd": work.join("below")}));
    assert_eq!(some["sessions"].as_array().unwrap().len(), 1);
    assert!(some.get("nextCursor").is_none());
}
