//! A home directory with a workspace in it, and the command run there.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use legwork_testkit::Server;
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// A home directory with a workspace in it.
pub(crate) struct Home(TempDir);

/// A command that ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A command that runs; killed when dropped.
pub(crate) struct Running {
    child: Child,
    out: Option<BufReader<ChildStdout>>,
}

impl Home {
    /// One whose workspace is trusted.
    pub(crate) fn new() -> Self {
        let home = Self::untrusted();
        home.ran(&["trust", "add"]).ends(0);
        home
    }

    /// One of whose workspace nothing was said.
    pub(crate) fn untrusted() -> Self {
        let home = Self(TempDir::new().unwrap());
        fs::create_dir(home.work()).unwrap();
        home
    }

    /// The directory that the agent works in.
    pub(crate) fn work(&self) -> PathBuf {
        self.0.path().join("work")
    }

    /// Where the command keeps sessions when nothing else is said.
    pub(crate) fn store(&self) -> PathBuf {
        self.0.path().join(".local/state/legwork/sessions.db")
    }

    /// A pipe in the workspace: what is written to it is an event to wait for.
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        let path = self.work().join(name);
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        path
    }

    pub(crate) fn sql(&self, sql: &str) -> usize {
        Connection::open(self.store()).unwrap().execute(sql, ()).unwrap()
    }

    /// The command with nothing in its environment but a home and a path.
    pub(crate) fn legwork(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_legwork"));
        command.args(args).current_dir(self.work()).env_clear();
        command.env("HOME", self.0.path()).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.stdin(Stdio::null());
        command
    }

    /// The same with a model, by the environment.
    pub(crate) fn with(&self, server: &Server, args: &[&str]) -> Command {
        let mut command = self.legwork(args);
        command.env("OPENAI_BASE_URL", server.base_url()).env("LEGWORK_MODEL", "test:scripted");
        // As by default, a thousand times faster.
        command.env("LEGWORK_RETRY_FOR", "600ms").env("LEGWORK_RETRY_MAX_WAIT", "30ms");
        command
    }

    /// Runs the command to its end.
    pub(crate) fn ran(&self, args: &[&str]) -> Ran {
        ran(self.legwork(args))
    }

    /// Runs the command with a model to its end.
    pub(crate) fn ran_with(&self, server: &Server, args: &[&str]) -> Ran {
        ran(self.with(server, args))
    }
}

pub(crate) fn ran(mut command: Command) -> Ran {
    Ran::of(command.output().unwrap())
}

/// Runs the command with this on its standard input.
pub(crate) fn fed(mut command: Command, input: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    Ran::of(child.wait_with_output().unwrap())
}

/// Starts the command and leaves it running.
pub(crate) fn started(mut command: Command) -> Running {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let out = child.stdout.take().map(BufReader::new);
    Running { child, out }
}

impl Ran {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The lines of standard output as JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The types of the lines, pieces of text left out.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let all = self.events().into_iter().map(|event| text(&event, "type"));
        all.filter(|kind| !kind.ends_with("_delta")).collect()
    }

    /// The last line as JSON.
    pub(crate) fn last(&self) -> Value {
        self.events().pop().unwrap_or_default()
    }

    /// The session that the lines are about.
    pub(crate) fn session(&self) -> String {
        text(&self.events()[0], "session")
    }

    /// Checks how it ended.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "out: {}\nerr: {}", self.out, self.err);
        self
    }

    /// Checks that standard error says this.
    #[track_caller]
    pub(crate) fn says(self, words: &str) -> Self {
        assert!(self.err.contains(words), "no {words:?} in: {}", self.err);
        self
    }
}

/// A field that is text; empty if it is not there.
pub(crate) fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

impl Running {
    /// Reads events until one of this type.
    pub(crate) fn until(&mut self, kind: &str) -> Value {
        loop {
            let mut line = String::new();
            let out = self.out.as_mut().unwrap();
            assert!(out.read_line(&mut line).unwrap() > 0, "it ended before {kind}");
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["type"] == kind {
                return event;
            }
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Kills it, as a loss of power would.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes its standard output from this side.
    pub(crate) fn close(&mut self) {
        self.out = None;
    }

    /// Waits without reading on.
    pub(crate) fn code(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Reads on to the end.
    pub(crate) fn end(mut self) -> Ran {
        let (mut out, mut err) = (String::new(), String::new());
        if let Some(mut rest) = self.out.take() {
            std::io::Read::read_to_string(&mut rest, &mut out).unwrap();
        }
        let mut stderr = self.child.stderr.take().unwrap();
        std::io::Read::read_to_string(&mut stderr, &mut err).unwrap();
        Ran { code: self.child.wait().unwrap().code(), out, err }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
