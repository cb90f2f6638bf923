//! An editor: the command as its child, and what both say.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use legwork_testkit::Server;
use serde_json::{Value, json};

use super::schema::Schema;
use crate::home::Home;

/// How long the command may say nothing.
const PATIENCE: Duration = Duration::from_secs(120);

/// The command, and an editor that drives it. The command is killed when it is dropped.
pub(super) struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    schema: Schema,
    /// The methods of requests that are not answered.
    asked: BTreeMap<u64, String>,
    last: u64,
    /// All that the command said.
    pub(super) said: Vec<Value>,
}

impl Editor {
    /// Starts the command, and begins the connection.
    pub(super) fn start(home: &Home, server: &Server, args: &[&str]) -> Self {
        let mut editor = Self::spawn(home, server, args);
        editor.initialize(&json!({}));
        editor
    }

    /// Starts the command.
    pub(super) fn spawn(home: &Home, server: &Server, args: &[&str]) -> Self {
        let args = [&["acp"], args].concat();
        let mut command = home.with(server, &args);
        // An editor starts it anywhere.
        command.current_dir("/");
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        let (line, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for read in output.lines().map_while(Result::ok) {
                // The test may have seen enough.
                let _ = line.send(read);
            }
        });
        let input = child.stdin.take();
        let (asked, said) = (BTreeMap::new(), Vec::new());
        Self { child, input, lines, schema: Schema::load(), asked, last: 0, said }
    }

    pub(super) fn initialize(&mut self, capabilities: &Value) -> Value {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({
            "protocolVersion": 1, "clientCapabilities": capabilities, "clientInfo": client,
        });
        self.call("initialize", &params)
    }

    /// Opens a new session in the workspace; its id.
    pub(super) fn new_session(&mut self, home: &Home) -> String {
        let result = self.call("session/new", &json!({"cwd": home.work(), "mcpServers": []}));
        result["sessionId"].as_str().unwrap().to_owned()
    }

    /// Writes a line as it is.
    pub(super) fn write(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn send(&mut self, line: &Value, answers: Option<&str>) {
        self.schema.check(line, answers);
        self.write(&line.to_string());
    }

    /// Sends a request; its number.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.asked.insert(id, method.to_owned());
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}), None);
        id
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}), None);
    }

    /// Sends a request, and waits for its result.
    #[track_caller]
    pub(super) fn call(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        let response = self.response(id);
        assert!(response.get("result").is_some(), "{response}");
        response["result"].clone()
    }

    /// Sends a request, and waits for the error that it ends with.
    #[track_caller]
    pub(super) fn refused(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        let response = self.response(id);
        assert!(response.get("error").is_some(), "{response}");
        response["error"].clone()
    }

    /// Gives a prompt; the number of the request.
    pub(super) fn prompts(&mut self, session: &str, text: &str) -> u64 {
        let prompt = json!([{"type": "text", "text": text}]);
        self.request("session/prompt", &json!({"sessionId": session, "prompt": prompt}))
    }

    /// Gives a prompt, and waits for the end of the turn; why it ended.
    #[track_caller]
    pub(super) fn turn(&mut self, session: &str, text: &str) -> String {
        let id = self.prompts(session, text);
        self.stops(id)
    }

    /// Waits for the end of a turn; why it ended.
    #[track_caller]
    pub(super) fn stops(&mut self, prompt: u64) -> String {
        let response = self.response(prompt);
        let reason = &response["result"]["stopReason"];
        assert!(reason.is_string(), "{response}");
        reason.as_str().unwrap().to_owned()
    }

    /// The next line of the command.
    #[track_caller]
    pub(super) fn next(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        let number = line["id"].as_u64().filter(|_| line.get("method").is_none());
        let answers = number.and_then(|id| self.asked.remove(&id));
        self.schema.check(&line, answers.as_deref());
        self.said.push(line.clone());
        line
    }

    /// Waits for the response to a request.
    #[track_caller]
    pub(super) fn response(&mut self, id: u64) -> Value {
        self.until(|line| line.get("method").is_none() && line["id"] == id)
    }

    /// Waits for a request or a notification of the command.
    #[track_caller]
    pub(super) fn hears(&mut self, method: &str) -> Value {
        self.until(|line| line["method"] == method)
    }

    /// Waits for an update of this kind.
    #[track_caller]
    pub(super) fn sees(&mut self, kind: &str) -> Value {
        let line = self.until(|line| line["params"]["update"]["sessionUpdate"] == kind);
        line["params"]["update"].clone()
    }

    #[track_caller]
    fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.next();
            if is_it(&line) {
                return line;
            }
        }
    }

    /// Waits until the person is asked, and chooses an option; what was asked.
    #[track_caller]
    pub(super) fn chooses(&mut self, option: &str) -> Value {
        let asked = self.hears("session/request_permission");
        let options = asked["params"]["options"].as_array().unwrap();
        assert!(options.iter().any(|one| one["optionId"] == option), "{asked}");
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": option}});
        self.answers(&asked, &outcome);
        asked["params"].clone()
    }

    /// Answers a request of the command.
    pub(super) fn answers(&mut self, asked: &Value, result: &Value) {
        let line = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
        self.send(&line, asked["method"].as_str());
    }

    /// The updates of this kind that were seen.
    pub(super) fn updates(&self, kind: &str) -> Vec<Value> {
        let updates = self.said.iter().map(|line| &line["params"]["update"]);
        updates.filter(|update| update["sessionUpdate"] == kind).cloned().collect()
    }

    /// What was said in updates of this kind.
    pub(super) fn words(&self, kind: &str) -> String {
        let updates = self.updates(kind);
        updates.iter().filter_map(|update| update["content"]["text"].as_str()).collect()
    }

    /// Forgets what was said so far.
    pub(super) fn forgets(&mut self) {
        self.said.clear();
    }

    /// Kills the command, as a loss of power would.
    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes the input, and waits for the end: the exit code, and what standard error says.
    pub(super) fn end(mut self) -> (Option<i32>, String) {
        self.input = None;
        let code = self.child.wait().unwrap().code();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (code, said)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
