//! `legwork mcp serve`: the built command as a server, driven line by line.

use std::io::{BufRead as _, BufReader, Lines, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use legwork_testkit::{Server, Turn};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::home::Home;

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
        let line = self.lines.next().unwrap_or_else(|| panic!("the command ended")).unwrap();
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

#[test]
fn s19_7_another_machine_needs_a_token() {
    let home = Home::new();
    let serve = |args: &[&str]| home.ran(&[&["mcp", "serve"], args].concat());
    serve(&["--listen", "0.0.0.0:0"]).ends(2).says("no token is asked for");
    serve(&["--listen", "127.0.0.1:0", "--token", "NO_SUCH_TOKEN"]).ends(2).says("holds no token");
    serve(&["--token", "NO_SUCH_TOKEN"]).ends(2).says("--listen");
    serve(&["--listen", "here"]).ends(2).says("invalid");
    let mut short = home.legwork(&["mcp", "serve", "--listen", "0.0.0.0:0", "--token", "SHORT"]);
    short.env("SHORT", "abc");
    crate::home::ran(short).ends(2).says("too short");
}
