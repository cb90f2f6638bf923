//! Why a turn ended.

use legwork::core::FinishReason;
use legwork_testkit::{Server, Turn};
use serde_json::json;

use super::editor::Editor;
use crate::home::Home;

#[track_caller]
fn stops(turn: Turn, args: &[&str]) -> (String, String) {
    let (home, server) = (Home::new(), Server::start([turn]).unwrap());
    let mut editor = Editor::start(&home, &server, args);
    let session = editor.new_session(&home);
    let reason = editor.turn(&session, "Work");
    (reason, editor.words("agent_message_chunk"))
}

#[test]
fn s17_9_a_limit_ends_the_turn_with_its_reason_and_says_which() {
    let call = Turn::call("list", json!({"path": "."}));
    let (reason, said) = stops(call, &["--max-steps", "1"]);
    assert_eq!(reason, "max_turn_requests");
    assert!(said.contains("the limit of 1 step"), "{said}");
    let (reason, _) = stops(Turn::text("On and").with_finish(FinishReason::Length), &[]);
    assert_eq!(reason, "max_tokens");
    let (reason, said) = stops(Turn::text("Never."), &["--max-tokens", "1"]);
    assert_eq!(reason, "max_tokens");
    assert!(said.contains("limit"), "{said}");
}

#[test]
fn s17_9_what_fails_is_an_error_that_says_why() {
    let (home, server) = (Home::new(), Server::start([Turn::status(401)]).unwrap());
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "Hi"}]});
    let refused = editor.refused("session/prompt", &prompt);
    assert!(refused["message"].as_str().unwrap().starts_with("failed: "), "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("401"), "{refused}");
}

#[test]
fn s17_9_an_answer_that_a_filter_ended_is_a_refusal() {
    let (reason, _) = stops(Turn::text("No").with_finish(FinishReason::ContentFilter), &[]);
    assert_eq!(reason, "refusal");
}
