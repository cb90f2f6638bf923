//! Servers that send without end: the command ends them at a bound, or in time, and says which.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::thread;

use serde_json::{Value, json};

use crate::home::{Home, Ran, ran};

/// Answers each request with its first bytes, and then with the others again and again.
fn flooding(head: &str, again: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (head, again) = (head.to_owned(), again.repeat((1 << 16) / again.len() + 1));
    thread::spawn(move || {
        for stream in listener.incoming() {
            flood(&mut stream.unwrap(), &head, &again);
        }
    });
    url
}

/// Sends until the client is gone.
fn flood(stream: &mut TcpStream, head: &str, again: &str) {
    let mut begin = [0; 16];
    let mut sent = stream.read(&mut begin).and_then(|_| stream.write_all(head.as_bytes()));
    while sent.is_ok() {
        sent = stream.write_all(again.as_bytes());
    }
}

const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

fn chunk(bytes: &str) -> String {
    format!("{:x}\r\n{bytes}\r\n", bytes.len())
}

fn event(delta: &Value) -> String {
    chunk(&format!("data: {}\n\n", json!({"choices": [{"delta": delta}]})))
}

/// Bytes of memory that the command may have, with its stacks and its code's data.
const MEMORY: u64 = 100_000_000;

/// The command, with no more memory than this, asked by a server.
fn limited(home: &Home, url: &str, args: &[&str]) -> Command {
    let whole = home.legwork(args);
    let mut command = Command::new("prlimit");
    command.arg(format!("--data={MEMORY}")).arg(whole.get_program()).args(whole.get_args());
    command.current_dir(home.work()).env_clear().stdin(std::process::Stdio::null());
    for (name, value) in whole.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.env("OPENAI_BASE_URL", url).env("LEGWORK_MODEL", "test:flood");
    command.env("LEGWORK_RETRY_FOR", "0s");
    command
}

fn run(home: &Home, url: &str, flags: &[&str]) -> Ran {
    let args = ["run", "--json", "--sandbox", "off"];
    ran(limited(home, url, &[&args[..], flags, &["Work"]].concat()))
}

/// Bytes of the store's files.
fn stored(home: &Home) -> u64 {
    let folder = std::fs::read_dir(home.store().parent().unwrap()).unwrap();
    folder.map(|file| file.unwrap().metadata().unwrap().len()).sum()
}

fn has_prlimit() -> bool {
    let there = Command::new("prlimit").arg("--version").output().is_ok();
    if !there {
        println!("skipped: there is no prlimit");
    }
    there
}

#[test]
fn s13_10_a_flood_ends_at_its_bound_with_little_memory_and_journal() {
    if !has_prlimit() {
        return;
    }
    let keys: String = (0..2_000).map(|n| event(&json!({format!("key{n}"): "value"}))).collect();
    let calls = json!({"tool_calls": [{"function": {"name": "read", "arguments": "{}"}}]});
    let json_head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    for (bound, head, again) in [
        ("8 MiB (bound `answer_bytes`)", STREAM, event(&json!({"content": "x".repeat(1_000)}))),
        ("8 MiB (bound `answer_bytes`)", STREAM, event(&json!({"reasoning": "\u{1}".repeat(999)}))),
        ("3 MiB came of it (bound `received_bytes`)", STREAM, chunk(": here\n\n")),
        ("8 MiB (bound `event_bytes`)", STREAM, chunk("data: and more ")),
        ("256 tool calls (bound `calls`)", STREAM, event(&calls)),
        ("a name or an id in it is longer", STREAM, {
            let piece = json!({"tool_calls": [{"index": 0, "function": {"name": "ab"}}]});
            let other = json!({"tool_calls": [{"index": 0, "function": {"name": "c"}}]});
            event(&piece) + &event(&other)
        }),
        ("20000 events (bound `events`)", STREAM, keys),
        ("8 MiB (bound `answer_bytes`)", json_head, "[1,{\"a\":".to_owned()),
    ] {
        let home = Home::new();
        // What takes no memory has no need to take its time either.
        let soon = "[bounds]\nreceived_bytes = 3_145_728\nevents = 20_000\n";
        let usual = bound.starts_with("8 MiB");
        home.file(".config/legwork/legwork.toml", if usual { "" } else { soon });
        let ended = run(&home, &flooding(head, &again), &[]).ends(1);
        let told = ended.last().to_string();
        assert!(told.contains(bound), "{bound}: {told}");
        assert!(stored(&home) < 1 << 20, "{bound}: {} bytes of journal", stored(&home));
    }
}

#[test]
fn s3_2_s13_10_active_time_ends_a_flood() {
    let all = "[bounds]\nreceived_bytes = 1_000_000_000_000\nanswer_bytes = 1_000_000_000_000\n";
    for (head, again) in [
        (STREAM, chunk(": here\n\n")),
        ("", "HTTP/1.1 100 Continue\r\n\r\n".to_owned()),
        ("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n", " \n".to_owned()),
    ] {
        let home = Home::new();
        home.file(".config/legwork/legwork.toml", all);
        let mut command = home.legwork(&["run", "--json", "--max-time", "1s", "Work"]);
        command.env("OPENAI_BASE_URL", flooding(head, &again)).env("LEGWORK_MODEL", "test:flood");
        let ended = ran(command).ends(3);
        assert_eq!(ended.last()["stop_reason"], "time_limit", "{again:?}");
    }
}

#[test]
fn s13_10_the_bounds_are_the_users_to_say_and_a_project_cannot() {
    let home = Home::new();
    home.file(".config/legwork/legwork.toml", "[bounds]\nanswer_bytes = 2_048\nidle = \"9s\"\n");
    let url = flooding(STREAM, &event(&json!({"content": "xyz"})));
    let mut command = home.legwork(&["run", "--json", "Work"]);
    command.env("OPENAI_BASE_URL", url).env("LEGWORK_MODEL", "test:flood");
    let told = ran(command).ends(1).last().to_string();
    assert!(told.contains("it is longer than 2 KiB (bound `answer_bytes`)"), "{told}");
    let shown = home.ran(&["config", "show"]).ends(0);
    assert!(shown.out.contains("bounds.answer_bytes = 2048"), "{}", shown.out);
    assert!(shown.out.contains("bounds.idle = \"9s\""), "{}", shown.out);
    let shown = home.ran(&["config", "show", "--json"]).ends(0).last();
    assert_eq!(shown["bounds"]["value"]["calls"], 256, "{shown}");
    for (wrong, told) in [
        ("[bounds]\nanswer_byte = 1\n", "did you mean `answer_bytes`?"),
        ("[bounds]\ncalls = 0\n", "`bounds.calls` must be a whole number from 1 on"),
        ("[bounds]\nidle = 3\n", "`bounds.idle` must be a length of time"),
    ] {
        home.file(".config/legwork/legwork.toml", wrong);
        home.ran(&["config", "show"]).ends(2).says(told);
    }
    home.file(".config/legwork/legwork.toml", "");
    home.file("work/legwork.toml", "[bounds]\ncalls = 9\n");
    home.ran(&["config", "show"]).ends(2).says("cannot be set in a project's file");
}
