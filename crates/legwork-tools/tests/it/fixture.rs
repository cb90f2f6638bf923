//! A workspace in a temporary directory, with tools that work in it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use legwork_port::core::{AgentState, EffectKey, Seq, SessionId, ToolCall, ToolOutcome};
use legwork_port::{Cancellation, Tool, ToolContext};
use legwork_tools::{Bash, Edit, Environment, List, Read, Sandbox, Search, Workspace, Write};
use serde_json::Value;

/// After this long without the event that a test waits for, it has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct Fixture {
    dir: tempfile::TempDir,
}

impl Default for Fixture {
    fn default() -> Self {
        Self::new()
    }
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a directory") }
    }

    /// The same in a directory of choice.
    pub(crate) fn within(dir: &str) -> Self {
        Self { dir: tempfile::tempdir_in(dir).expect("a directory") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), content).expect("written");
        self
    }

    pub(crate) fn workspace(&self) -> Workspace {
        Workspace::open(self.dir.path()).expect("opened")
    }

    pub(crate) fn read(&self) -> Read {
        Read::new(self.workspace())
    }

    pub(crate) fn list(&self) -> List {
        List::new(self.workspace())
    }

    pub(crate) fn search(&self) -> Search {
        Search::new(self.workspace())
    }

    pub(crate) fn write_tool(&self) -> Write {
        Write::new(self.workspace())
    }

    pub(crate) fn edit(&self) -> Edit {
        Edit::new(self.workspace())
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("read")
    }

    /// What is in the root, to see that nothing is left behind.
    pub(crate) fn names(&self) -> Vec<std::ffi::OsString> {
        let entries = std::fs::read_dir(self.dir.path()).expect("listed");
        let mut names: Vec<_> = entries.map(|entry| entry.expect("read").file_name()).collect();
        names.sort();
        names
    }

    /// The shell without walls.
    pub(crate) fn bash(&self) -> Bash {
        bash_in(self.dir.path())
    }
}

pub(crate) fn bash_in(dir: &Path) -> Bash {
    Bash::new(Workspace::open(dir).expect("opened"), environment(), Sandbox::Off)
}

pub(crate) fn environment() -> Environment {
    Environment::default().with("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
}

/// Runs a call as the executor does.
pub(crate) async fn call(tool: &impl Tool, arguments: &Value) -> ToolOutcome {
    tool.call(&asked(tool, arguments), &context(Cancellation::new())).await
}

pub(crate) fn asked(tool: &impl Tool, arguments: &Value) -> ToolCall {
    ToolCall::new("call-1", Arc::clone(&tool.spec().name), arguments.to_string())
}

pub(crate) fn context(cancellation: Cancellation) -> ToolContext {
    let session = SessionId::new("tools");
    let key = EffectKey { session: session.clone(), entry: Seq(1), index: 0 };
    ToolContext::new(AgentState::new(session), key, cancellation)
}

/// Runs a call where no thread is free for it until it has ended.
pub(crate) fn call_without_threads(
    tool: &impl Tool,
    arguments: &Value,
    cancellation: Cancellation,
) -> ToolOutcome {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.max_blocking_threads(1).build().expect("a runtime");
    let (end, busy) = channel::<()>();
    runtime.spawn_blocking(move || busy.recv());
    let outcome = runtime.block_on(tool.call(&asked(tool, arguments), &context(cancellation)));
    drop(end);
    outcome
}

/// Runs a call that must succeed.
macro_rules! ok {
    ($tool:expr, $($json:tt)+) => {{
        let outcome = crate::fixture::call(&$tool, &serde_json::json!($($json)+)).await;
        let (ok, text) = (outcome.is_ok(), outcome.to_text());
        assert!(ok, "failed: {text}");
        text
    }};
}

/// Runs a call that must fail.
macro_rules! refused {
    ($tool:expr, $($json:tt)+) => {{
        let outcome = crate::fixture::call(&$tool, &serde_json::json!($($json)+)).await;
        let (ok, text) = (outcome.is_ok(), outcome.to_text());
        assert!(!ok, "did not fail: {text}");
        text
    }};
}

pub(crate) use {ok, refused};

/// A named pipe whose writers are watched: it ends when the last one is gone.
///
/// Processes that open it for writing cannot die without our noticing, and
/// cannot live on without our noticing either.
pub(crate) struct Watch {
    lines: Receiver<Option<String>>,
}

impl Watch {
    pub(crate) fn new(path: &Path) -> Self {
        let flags = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, flags, 0)
            .expect("a pipe");
        let (sender, lines) = channel();
        let path = path.to_owned();
        std::thread::spawn(move || {
            // Opening waits for the first writer.
            let reader = BufReader::new(File::open(path).expect("opened"));
            for line in reader.lines() {
                let _ = sender.send(line.ok());
            }
            let _ = sender.send(None);
        });
        Self { lines }
    }

    /// Waits until so many lines have come, sorted.
    pub(crate) fn lines(&self, count: usize) -> Vec<String> {
        let one = || self.lines.recv_timeout(PATIENCE).expect("a line in time").expect("a line");
        let mut lines: Vec<_> = (0..count).map(|_| one()).collect();
        lines.sort();
        lines
    }

    /// Waits until no writer is left.
    pub(crate) fn all_gone(&self) {
        let next = || self.lines.recv_timeout(PATIENCE).expect("a process lives on");
        while next().is_some() {}
    }
}

/// Lets a test wait for an event without holding up the runtime.
pub(crate) async fn blocking<T: Send + 'static>(wait: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(wait).await.expect("the event")
}
