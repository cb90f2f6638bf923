//! `legwork mcp serve`: the built command as a server, driven line by line.

use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use legwork_testkit::{Server, Turn};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::home::{Home, ran};

/// A client that has started the command; it is killed when this is dropped.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    last: u64,
}

impl Client {
    /// One that shows forms.
    fn start(home: &Home, server: &Server, args: &[&str]) -> Self {
        let mut command = home.with(server, &[&["mcp", "serve"], args].concat());
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let input = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut client = Self { child, input, lines, last: 0 };
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "test", "version": "1"},
        });
        client.call("initialize", &params);
        client.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn write(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next line; all of standard output is of the protocol.
    fn read(&mut self) -> Value {
        let line = self.lines.next().unwrap().unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        loop {
            let message = self.read();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// The result of a call of a tool.
    fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.call("tools/call", &json!({"name": name, "arguments": arguments}));
        assert!(answer.get("result").is_some(), "{answer}");
        answer["result"].clone()
    }

    /// Closes the input; the code that the command ends with, and its standard error.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn s19_1_the_agent_of_a_directory_is_served_on_the_two_streams() {
    let home = Home::new();
    let write = json!({"path": "made.txt", "content": "by a client"});
    let turns = [Turn::call("write", write), Turn::text("It is made.")];
    let server = Server::start(turns).unwrap();
    let mut client = Client::start(&home, &server, &[]);
    let listed = client.call("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for name in ["run_agent", "show_session", "bash", "read"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let result = client.tool("run_agent", &json!({"task": "make a file"}));
    assert_eq!(result["isError"], false, "{result}");
    let made = std::fs::read_to_string(home.work().join("made.txt")).unwrap();
    assert_eq!(made, "by a client");
    // A tool by itself asks no model.
    let read = client.tool("read", &json!({"path": "made.txt"}));
    assert!(read["content"][0]["text"].as_str().unwrap().contains("by a client"), "{read}");
    let session = result["structuredContent"]["session"].as_str().unwrap();
    let (code, said) = client.end();
    assert_eq!(code, Some(0), "{said}");
    let shown = home.ran(&["sessions", "show", session]).ends(0);
    assert!(shown.out.contains("It is made."), "{}", shown.out);
}

#[test]
fn s19_3_what_needs_approval_is_asked_of_the_person_in_front_of_the_client() {
    for action in ["accept", "decline"] {
        let home = Home::new();
        let write = Turn::call("write", json!({"path": "one.txt", "content": "x"}));
        let server = Server::start([write, Turn::text("one")]).unwrap();
        let mut client = Client::start(&home, &server, &["--approve", "writes"]);
        let params = json!({"name": "run_agent", "arguments": {"task": "write"}});
        let id = client.request("tools/call", &params);
        let asked = client.read();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        let message = asked["params"]["message"].as_str().unwrap();
        assert!(message.contains("write {") && message.contains("one.txt"), "{message}");
        let answer = json!({"action": action, "content": {"approve": true}});
        client.write(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer}));
        let done = client.read();
        assert_eq!((&done["id"], &done["result"]["isError"]), (&json!(id), &json!(false)));
        assert_eq!(home.work().join("one.txt").exists(), action == "accept");
    }
}

#[test]
fn s19_1_an_interrupted_server_leaves_its_sessions_resumable() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Done.")]).unwrap());
    server.hold(0);
    let mut client = Client::start(&home, &server, &[]);
    client.request("tools/call", &json!({"name": "run_agent", "arguments": {"task": "work"}}));
    server.arrived_blocking(0);
    client.signal(Signal::TERM);
    let code = client.child.wait().unwrap().code();
    assert_eq!(code, Some(130));
    server.release(0);
    let listed = home.ran(&["sessions", "list", "--json"]).ends(0);
    let listed: Value = serde_json::from_str(listed.out.lines().next().unwrap()).unwrap();
    let session = listed["session"].as_str().unwrap_or_else(|| panic!("{listed}"));
    let resumed = home.ran_with(&server, &["resume", session]).ends(0);
    assert_eq!(resumed.out, "Done.\n");
}

#[test]
fn s19_6_a_server_knows_the_sessions_of_its_directory_alone() {
    let home = Home::new();
    let turns = [Turn::text("secret"), Turn::text("here")];
    let server = Server::start(turns).unwrap();
    let elsewhere = home.work().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let dir = elsewhere.to_str().unwrap();
    let other = home.ran_with(&server, &["run", "--json", "--dir", dir, "Whisper"]).ends(0);
    let mut client = Client::start(&home, &server, &[]);
    client.tool("run_agent", &json!({"task": "say"}));
    let listed = client.tool("list_sessions", &json!({}));
    let sessions = listed["structuredContent"]["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 1, "{listed}");
    let params = json!({"name": "show_session", "arguments": {"session": other.session()}});
    let unknown = client.call("tools/call", &params);
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

/// The status of a request without a body.
fn status(port: u16, authorization: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let head = "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close";
    write!(stream, "{head}\r\nAuthorization: {authorization}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn s19_7_over_http_a_token_is_asked_for_the_user_s_own_or_one_that_is_printed() {
    let (home, server) = (Home::new(), Server::start([Turn::text("Done.")]).unwrap());
    for own in [None, Some("a-long-token-of-mine")] {
        let listen = ["mcp", "serve", "--listen", "127.0.0.1:0"];
        let token = own.map_or(&[][..], |_| &["--token", "MINE"]);
        let mut command = home.with(&server, &[&listen[..], token].concat());
        command.env("MINE", own.unwrap_or_default()).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let serving = lines.find(|line| line.starts_with("serving http://127.0.0.1:")).unwrap();
        let port = serving.split(['/', ':']).nth(4).unwrap().parse().unwrap();
        let header = match own {
            Some(token) => format!("Bearer {token}"),
            None => lines.next().unwrap().split_once("Authorization: ").unwrap().1.to_owned(),
        };
        assert_eq!(status(port, "Bearer none"), "401");
        assert_ne!(status(port, &header), "401");
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
}

#[test]
fn s19_7_a_token_that_is_none_is_refused() {
    let home = Home::new();
    let serve = |args: &[&str]| home.legwork(&[&["mcp", "serve"], args].concat());
    let listen = ["--listen", "127.0.0.1:0", "--token", "MINE"];
    ran(serve(&listen)).ends(2).says("holds no token");
    for short in ["abc", "a                       "] {
        let mut command = serve(&listen);
        command.env("MINE", short);
        ran(command).ends(2).says("too short");
    }
    ran(serve(&["--token", "MINE"])).ends(2).says("--listen");
    ran(serve(&["--listen", "here"])).ends(2).says("invalid");
}

#[test]
fn s19_1_what_is_wrong_with_the_agent_is_said_before_anything_is_served() {
    let home = Home::new();
    let mut command =
        home.legwork(&["mcp", "serve", "--dir", "no-such-folder", "--model", "ollama:m"]);
    command.stdin(Stdio::piped());
    ran(command).ends(2).says("no-such-folder");
    let mut command = home.legwork(&["mcp", "serve", "--model", "openai:gpt-5-mini"]);
    command.stdin(Stdio::piped());
    ran(command).ends(2).says("OPENAI_API_KEY");
}

#[test]
fn s19_8_what_a_client_kept_is_known_to_the_next_server() {
    let home = Home::new();
    let server = Server::start([Turn::text("Done.")]).unwrap();
    let key = home.store().with_file_name("mcp").join("serve.key");
    let mut seen = Vec::new();
    for _ in 0..2 {
        let (code, said) = Client::start(&home, &server, &[]).end();
        assert_eq!(code, Some(0), "{said}");
        seen.push(std::fs::read(&key).unwrap());
        assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!((seen[0].len(), &seen[0]), (32, &seen[1]));
}
