//! The connection: how it begins, what is refused, how it ends.

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use super::editor::Editor;
use crate::home::{Home, fed};

#[track_caller]
fn says(error: &Value, code: i32, words: &str) {
    assert_eq!(error["code"], code, "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(words), "{message}");
}

#[test]
fn s17_1_an_editor_is_told_what_the_agent_can_do_and_needs_no_authentication() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Hi.")]).unwrap());
    let mut editor = Editor::spawn(&home, &server, &[]);
    let told = editor.initialize(&json!({"fs": {"readTextFile": true, "writeTextFile": true}}));
    assert_eq!((&told["protocolVersion"], &told["authMethods"]), (&json!(1), &json!([])));
    assert_eq!(told["agentInfo"]["name"], "legwork");
    let can = &told["agentCapabilities"];
    assert_eq!(can["loadSession"], true);
    assert_eq!(can["promptCapabilities"]["image"], true);
    assert_eq!(can["mcpCapabilities"], json!({"http": false, "sse": false}));
    assert_eq!(can["sessionCapabilities"], json!({"list": {}, "resume": {}, "close": {}}));
}

#[test]
fn s17_1_what_is_not_supported_is_an_error_that_says_what_to_do() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Hi.")]).unwrap());
    let mut editor = Editor::spawn(&home, &server, &[]);
    let place = json!({"cwd": home.work(), "mcpServers": []});
    says(&editor.refused("session/new", &place), -32600, "send initialize");
    editor.initialize(&json!({}));
    let servers = json!([{"name": "files", "command": "/bin/true", "args": [], "env": []}]);
    let with = json!({"cwd": home.work(), "mcpServers": servers});
    says(&editor.refused("session/new", &with), -32602, "MCP servers are not supported yet");
    let relative = json!({"cwd": "work", "mcpServers": []});
    says(&editor.refused("session/new", &relative), -32602, "not an absolute path");
    let more = json!({"cwd": home.work(), "mcpServers": [], "additionalDirectories": ["/tmp"]});
    says(&editor.refused("session/new", &more), -32602, "additional directories");
    let gone = json!({"cwd": home.work().join("gone"), "mcpServers": []});
    says(&editor.refused("session/new", &gone), -32603, "gone");
    let unknown = json!({"sessionId": "nobody", "cwd": home.work(), "mcpServers": []});
    says(&editor.refused("session/load", &unknown), -32002, "nobody");
    let prompt = json!({"sessionId": "nobody", "prompt": [{"type": "text", "text": "Hi"}]});
    says(&editor.refused("session/prompt", &prompt), -32002, "open it");
    says(&editor.refused("authenticate", &json!({"methodId": "key"})), -32602, "authenticate");
    let session = editor.new_session(&home);
    let audio = json!([{"type": "audio", "data": "", "mimeType": "audio/wav"}]);
    let prompt = json!({"sessionId": session, "prompt": audio});
    says(&editor.refused("session/prompt", &prompt), -32602, "audio is not supported");
    let empty = json!({"sessionId": session, "prompt": [{"type": "text", "text": " "}]});
    says(&editor.refused("session/prompt", &empty), -32602, "empty");
    assert_eq!(editor.turn(&session, "Hello"), "end_turn");
}

#[test]
fn s17_1_a_line_that_is_no_message_is_an_error_and_the_connection_goes_on() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Hi.")]).unwrap());
    let mut editor = Editor::start(&home, &server, &[]);
    for (line, code) in [("{\"a", -32700), ("[]", -32700), ("7", -32700), ("{}", -32600)] {
        editor.write(line);
        let response = editor.next();
        assert_eq!((&response["id"], &response["error"]["code"]), (&Value::Null, &json!(code)));
    }
    editor.write("");
    editor.write("{\"jsonrpc\":\"2.0\",\"method\":\"other/thing\"}");
    editor.write("{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}");
    editor.write("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"other/thing\"}");
    let response = editor.next();
    assert_eq!((&response["id"], &response["error"]["code"]), (&json!("x"), &json!(-32601)));
    let session = editor.new_session(&home);
    assert_eq!(editor.turn(&session, "Hello"), "end_turn");
}

#[test]
fn s17_1_the_end_of_the_input_interrupts_what_runs_and_ends_the_command() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Done.")]).unwrap());
    server.hold(0);
    let mut editor = Editor::start(&home, &server, &[]);
    let session = editor.new_session(&home);
    editor.prompts(&session, "Work");
    server.arrived_blocking(0);
    let (code, said) = editor.end();
    assert_eq!((code, &*said), (Some(0), ""));
    server.release(0);
    let shown = home.ran(&["sessions", "list", "--json"]).ends(0).last();
    assert_eq!((&shown["session"], &shown["status"]), (&json!(session), &json!("in_progress")));
    assert_eq!(home.ran_with(&server, &["resume", &session]).ends(0).out, "Done.\n");
}

#[test]
fn s17_1_flags_that_do_not_fit_are_an_error_that_says_what_to_do() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Hi.")]).unwrap());
    let refused = fed(home.with(&server, &["acp", "--dir", "."]), b"").ends(2);
    refused.says("the editor names the directory of each session");
    let mut editor = Editor::start(&home, &server, &["--max-usd", "1"]);
    let place = json!({"cwd": home.work(), "mcpServers": []});
    let error = editor.refused("session/new", &place);
    says(&error, -32603, "the price of `test:scripted` is not known");
    assert!(error["data"]["hint"].as_str().unwrap().contains("--max-tokens"), "{error}");
}
