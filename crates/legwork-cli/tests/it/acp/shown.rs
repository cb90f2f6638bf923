//! What the editor is shown of a turn.

use std::fs;

use legwork_testkit::{Server, Turn};
use serde_json::json;

use super::editor::Editor;
use super::text_of;
use crate::home::Home;

#[test]
fn s17_2_words_and_thoughts_are_shown_as_they_come() {
    let turn = Turn::text("All is well.").with_thinking("Let me see.");
    let (home, server) = (Home::new(), Server::start([turn]).unwrap());
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "How is it?");
    editor.sees("agent_message_chunk");
    assert_eq!(editor.stops(id), "end_turn");
    assert_eq!(editor.words("agent_thought_chunk"), "Let me see.");
    assert_eq!(editor.words("agent_message_chunk"), "All is well.");
    let chunks = editor.updates("agent_message_chunk").len();
    assert!(chunks > 1, "it is streamed: {chunks}");
    assert!(editor.words("user_message_chunk").is_empty(), "the editor shows the prompt itself");
}

#[test]
fn s17_2_a_call_is_shown_with_its_kind_place_input_output_and_diff() {
    let turns = [
        Turn::calls([
            ("write", json!({"path": "new.txt", "content": "one\ntwo\n"})),
            ("edit", json!({"path": "old.txt", "edits": [{"old": "b", "new": "B"}]})),
            ("read", json!({"path": "gone.txt"})),
        ]),
        Turn::text("Done."),
    ];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    fs::write(home.work().join("old.txt"), "a\nb\nc\n").unwrap();
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    assert_eq!(editor.turn(&session, "Change them"), "end_turn");
    let began = editor.updates("tool_call");
    let of = |index: usize| (began[index]["title"].as_str().unwrap(), &began[index]["kind"]);
    assert_eq!(of(0), ("write new.txt", &json!("edit")));
    assert_eq!(of(1), ("edit old.txt", &json!("edit")));
    assert_eq!(of(2), ("read gone.txt", &json!("read")));
    let new = home.work().join("new.txt");
    assert_eq!(began[0]["locations"][0]["path"], json!(new));
    assert_eq!(began[0]["rawInput"]["content"], "one\ntwo\n");
    let ended = editor.updates("tool_call_update");
    let end = |index: usize| {
        let id = &began[index]["toolCallId"];
        ended.iter().rfind(|update| update["toolCallId"] == *id).unwrap()
    };
    assert_eq!(end(0)["status"], "completed");
    let diff = json!({"type": "diff", "path": new, "oldText": null, "newText": "one\ntwo\n"});
    assert_eq!(end(0)["content"], json!([diff]));
    let diff = &end(1)["content"][0];
    assert_eq!(diff["type"], "diff");
    assert!(diff["oldText"].as_str().unwrap().contains('b'), "{diff}");
    assert!(diff["newText"].as_str().unwrap().contains('B'), "{diff}");
    assert_eq!(end(2)["status"], "failed");
    assert!(text_of(&end(2)["content"]).contains("gone.txt"), "{}", end(2));
    assert_eq!(fs::read_to_string(new).unwrap(), "one\ntwo\n");
}

#[test]
fn s17_2_a_prompt_may_hold_files_links_and_pictures() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Seen.")]).unwrap());
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    let uri = format!("file://{}", home.work().join("a.rs").display());
    let prompt = json!([
        {"type": "text", "text": "Compare "},
        {"type": "resource_link", "name": "a.rs", "uri": uri},
        {"type": "resource", "resource": {"uri": "file:///b.rs", "text": "fn b() {}"}},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
    ]);
    let asked = json!({"sessionId": session, "prompt": prompt});
    assert_eq!(editor.call("session/prompt", &asked)["stopReason"], "end_turn");
    let sent = server.requests()[0].body["messages"].to_string();
    let path = home.work().join("a.rs");
    for part in [&*format!("[{}]", path.display()), "fn b() {}", "/b.rs", "iVBORw0KGgo="] {
        assert!(sent.contains(part), "no {part} in {sent}");
    }
}

#[test]
fn s17_2_nothing_but_messages_of_the_protocol_is_on_standard_output() {
    let (home, server) = (Home::untrusted(), Server::start([Turn::text("Hi.")]).unwrap());
    fs::write(home.work().join("AGENTS.md"), "Be brief.").unwrap();
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    // Each line is read as a message, or the test fails.
    assert_eq!(editor.turn(&session, "Hello"), "end_turn");
    let (code, said) = editor.end();
    assert_eq!(code, Some(0));
    assert!(said.contains("legwork trust add"), "the warning is on standard error: {said}");
}
