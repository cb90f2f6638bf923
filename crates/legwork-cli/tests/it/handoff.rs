//! `legwork resume --model`: a killed session goes on with a model of another provider.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread::JoinHandle;

use legwork_testkit::{Server, Turn};
use serde_json::{Value, json};

use crate::home::{Home, ran, started, text};

/// A server of Anthropic that says one text, streamed, and what it was asked.
fn anthropic(said: &'static str) -> (String, JoinHandle<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut all, mut piece) = (Vec::new(), [0; 4096]);
        let body = loop {
            let count = stream.read(&mut piece).unwrap();
            all.extend_from_slice(&piece[..count]);
            let text = String::from_utf8_lossy(&all);
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                break serde_json::from_str(body).unwrap();
            }
        };
        let events = [
            json!({"type": "message_start", "message": {"type": "message", "content": []}}),
            json!({"type": "content_block_start", "index": 0,
                "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "text_delta", "text": said}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                "usage": {"input_tokens": 9, "output_tokens": 2}}),
            json!({"type": "message_stop"}),
        ];
        let events = events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>();
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        stream.write_all((head.to_owned() + &events).as_bytes()).unwrap();
        body
    });
    (url, served)
}

#[test]
fn s11_2_a_killed_session_goes_on_with_a_model_of_another_provider() {
    let (home, long) = (Home::new(), format!("functions.list:{}", "x".repeat(60)));
    let call = Turn::call("list", json!({"path": "."})).with_thinking("I look around.");
    let server = Server::start([call.with_call_ids([&*long]), Turn::stall()]).unwrap();
    let mut run = started(home.with(&server, &["run", "--json", "What is here?"]));
    let session = text(&run.until("step_finished"), "session");
    run.kill();

    let (url, served) = anthropic("Nothing is here.");
    let args = ["resume", &session, "--model", "anthropic:claude-sonnet-4-6"];
    let mut command = home.legwork(&args);
    command.env("ANTHROPIC_BASE_URL", url).env("ANTHROPIC_API_KEY", "sk-ant-0123456789");
    let resumed = ran(command).ends(0);
    assert_eq!(resumed.out, "Nothing is here.\n");

    let body = served.join().unwrap();
    assert_eq!(body["model"], "claude-sonnet-4-6");
    let messages = body["messages"].as_array().unwrap();
    let roles: Vec<_> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    let blocks = messages[1]["content"].as_array().unwrap();
    let call = blocks.iter().find(|block| block["type"] == "tool_use").unwrap();
    let id = call["id"].as_str().unwrap();
    assert!(id.len() <= 64 && id.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)));
    assert_eq!(messages[2]["content"][0]["tool_use_id"], id);
    assert!(!body.to_string().contains("I look around."), "thinking of another is not sent");

    let listed = home.ran(&["sessions", "show", &session, "--json"]).ends(0);
    let models = ["\"model\":\"test:scripted\"", "anthropic:claude-sonnet-4-6"];
    assert!(models.iter().all(|model| listed.out.contains(model)), "{}", listed.out);
}
