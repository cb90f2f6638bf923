//! Calls that need approval, questions, and modes.

use std::path::PathBuf;

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use super::editor::Editor;
use super::text_of;
use crate::home::Home;
use crate::mcp_questions;

fn writes(name: &str) -> Turn {
    Turn::call("write", json!({"path": name, "content": "text\n"}))
}

fn has(home: &Home, name: &str) -> bool {
    let path: PathBuf = home.work().join(name);
    path.exists()
}

fn result(server: &Server) -> String {
    server.requests().last().unwrap().asked.results().concat()
}

#[test]
fn s17_3_a_call_that_needs_approval_is_asked_about_and_runs_if_it_is_allowed() {
    let turns = [writes("a.txt"), Turn::text("Done."), writes("b.txt"), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let mut editor = Editor::start(&home, &server, &["--approve", "writes"]);
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "Write it");
    let asked = editor.chooses("allow_once");
    let call = &asked["toolCall"];
    assert_eq!((&call["title"], &call["status"]), (&json!("write a.txt"), &json!("pending")));
    let path = home.work().join("a.txt");
    let diff = json!({"type": "diff", "path": path, "oldText": null, "newText": "text\n"});
    assert_eq!(call["content"][0], diff);
    assert_eq!(editor.stops(id), "end_turn");
    assert!(has(&home, "a.txt"));
    // All updates are about one call.
    let began = editor.updates("tool_call");
    assert_eq!((began.len(), &began[0]["toolCallId"]), (1, &call["toolCallId"]));
    let ended = editor.updates("tool_call_update");
    assert!(ended.iter().all(|update| update["toolCallId"] == call["toolCallId"]));
    assert_eq!(ended.last().unwrap()["status"], "completed");
    // Once is once.
    let id = editor.prompts(&session, "And another");
    editor.chooses("reject_once");
    assert_eq!(editor.stops(id), "end_turn");
    assert!(!has(&home, "b.txt"));
    assert_eq!(editor.updates("tool_call_update").last().unwrap()["status"], "failed");
    assert!(result(&server).contains("The user said no."), "{}", result(&server));
}

#[test]
fn s17_3_always_holds_for_later_calls_of_the_session() {
    let turns = [writes("a.txt"), writes("b.txt"), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let mut editor = Editor::start(&home, &server, &["--approve", "writes"]);
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "Write them");
    let asked = editor.chooses("allow_tool");
    let options = asked["options"].as_array().unwrap();
    let names: Vec<_> = options.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Allow", "Always allow write", "Reject"]);
    assert_eq!(editor.stops(id), "end_turn");
    assert!(has(&home, "a.txt") && has(&home, "b.txt"));
    let asked = editor.said.iter().filter(|line| line["method"] == "session/request_permission");
    assert_eq!(asked.count(), 1);
}

#[test]
fn s17_3_what_is_dismissed_does_not_run_and_ends_the_turn() {
    let turns = [writes("a.txt"), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let mut editor = Editor::start(&home, &server, &["--approve", "writes"]);
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "Write it");
    let asked = editor.hears("session/request_permission");
    editor.answers(&asked, &json!({"outcome": {"outcome": "cancelled"}}));
    assert_eq!(editor.stops(id), "cancelled");
    assert!(!has(&home, "a.txt"));
    // It waits, and is asked about again.
    let id = editor.prompts(&session, "/resume");
    let again = editor.chooses("allow_once");
    assert_eq!(again["toolCall"]["toolCallId"], asked["params"]["toolCall"]["toolCallId"]);
    assert_eq!(editor.stops(id), "end_turn");
    assert!(has(&home, "a.txt"));
}

fn asks(choices: &[&str], free_text: bool) -> Turn {
    let question = "Which colour?";
    Turn::call(
        "ask_user",
        json!({"question": question, "choices": choices, "free_text": free_text}),
    )
}

#[test]
fn s17_7_a_question_with_choices_is_asked_as_a_list_of_them() {
    let turns = [asks(&["red", "green"], false), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "Paint");
    let asked = editor.chooses("2");
    assert_eq!(asked["toolCall"]["title"], "ask_user Which colour?");
    assert_eq!(asked["options"][1]["name"], "green");
    assert_eq!(editor.stops(id), "end_turn");
    assert_eq!(result(&server), "green");
}

#[test]
fn s17_7_any_other_question_ends_the_turn_and_the_next_prompt_answers_it() {
    let turns = [asks(&["red", "green"], true), Turn::text("Blue it is.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    assert_eq!(editor.turn(&session, "Paint"), "end_turn");
    let said = editor.words("agent_message_chunk");
    assert!(said.contains("Which colour?\n1 red\n2 green\n"), "{said}");
    assert!(said.contains("The next message is the answer."), "{said}");
    editor.forgets();
    assert_eq!(editor.turn(&session, "blue"), "end_turn");
    assert_eq!(result(&server), "blue");
    assert!(editor.words("agent_message_chunk").contains("Blue it is."));
}

#[test]
fn s17_7_an_editor_with_forms_shows_the_question_as_one() {
    let turns = [asks(&["red", "green"], false), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let mut editor = Editor::spawn(&home, &server, &[]);
    editor.initialize(&json!({"elicitation": {"form": {}}}));
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "Paint");
    let asked = editor.hears("elicitation/create");
    assert_eq!(asked["params"]["message"], "Which colour?");
    let field = &asked["params"]["requestedSchema"]["properties"]["answer"];
    assert_eq!(field["enum"], json!(["red", "green"]));
    editor.answers(&asked, &json!({"action": "accept", "content": {"answer": "red"}}));
    assert_eq!(editor.stops(id), "end_turn");
    assert_eq!(result(&server), "red");
}

#[test]
fn s7_9_s17_7_input_that_a_call_asks_for_is_a_form_or_the_next_prompt() {
    let filled = "painted {coats:2,colour:green}";
    let (home, server) = mcp_questions::home();
    let mut editor = Editor::spawn(&home, &server, &["--sandbox", "off"]);
    editor.initialize(&json!({"elicitation": {"form": {}}}));
    let session = editor.new_session(&home);
    let id = editor.prompts(&session, "Paint");
    let asked = editor.hears("elicitation/create");
    assert_eq!(asked["params"]["message"], "my_paint asks: How is the door to be?");
    let fields = &asked["params"]["requestedSchema"]["properties"];
    assert_eq!(fields["colour"]["enum"], json!(["red", "green"]));
    editor.answers(&asked, &json!({"action": "accept", "content": {"colour": "green"}}));
    assert_eq!(editor.stops(id), "end_turn");
    assert!(result(&server).contains(filled), "{}", result(&server));

    let (home, server) = mcp_questions::home();
    let mut editor = Editor::start(&home, &server, &["--sandbox", "off"]);
    let session = editor.new_session(&home);
    assert_eq!(editor.turn(&session, "Paint"), "end_turn");
    let said = editor.words("agent_message_chunk");
    let asks = "my_paint asks: How is the door to be?\nColour\ncoats: how often\n";
    assert!(
        said.contains(asks) && said.contains("a JSON object with these fields is the answer"),
        "{said}"
    );
    editor.forgets();
    assert_eq!(editor.turn(&session, "{\"colour\": \"blue\"}"), "end_turn");
    let said = editor.words("agent_message_chunk");
    assert!(said.contains("Colour is to be one of 1 red, 2 green"), "{said}");
    assert_eq!(editor.turn(&session, "{\"colour\": \"green\"}"), "end_turn");
    assert!(result(&server).contains(filled), "{}", result(&server));
}

fn modes(editor: &mut Editor, home: &Home) -> (String, Value) {
    let result = editor.call("session/new", &json!({"cwd": home.work(), "mcpServers": []}));
    (result["sessionId"].as_str().unwrap().to_owned(), result["modes"].clone())
}

#[test]
fn s17_8_the_modes_are_when_the_person_is_asked() {
    let turns = [writes("a.txt"), Turn::text("Done."), writes("b.txt"), Turn::text("Done.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let mut editor = Editor::start(&home, &server, &[]);
    let (session, modes) = modes(&mut editor, &home);
    assert_eq!(modes["currentModeId"], "ask");
    let all = modes["availableModes"].as_array().unwrap();
    let ids: Vec<_> = all.iter().map(|mode| mode["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["never", "ask", "writes", "all"]);
    let mode = |mode: &str| json!({"sessionId": session, "modeId": mode});
    let refused = editor.refused("session/set_mode", &mode("loud"));
    assert!(refused["message"].as_str().unwrap().contains("never, ask, writes, all"), "{refused}");
    editor.call("session/set_mode", &mode("writes"));
    let id = editor.prompts(&session, "Write it");
    editor.chooses("allow_once");
    assert_eq!(editor.stops(id), "end_turn");
    editor.call("session/set_mode", &mode("ask"));
    assert_eq!(editor.turn(&session, "And another"), "end_turn");
    assert!(has(&home, "a.txt") && has(&home, "b.txt"));
}

#[test]
fn s17_8_where_nobody_is_to_be_asked_nobody_is() {
    let turns = [asks(&["red", "green"], false), Turn::text("Red.")];
    let (home, server) = (Home::new(), Server::start(turns).unwrap());
    let mut editor = Editor::start(&home, &server, &["--approve", "never"]);
    let (session, modes) = modes(&mut editor, &home);
    assert_eq!(modes["currentModeId"], "never");
    assert_eq!(editor.turn(&session, "Paint"), "end_turn");
    assert!(result(&server).contains("decide what is sensible"), "{}", result(&server));
    let ended = editor.updates("tool_call_update");
    assert!(text_of(&ended.last().unwrap()["content"]).contains("decide what is sensible"));
}
