//! How long the `legwork` command takes to start.

use std::{
    path::{Path, PathBuf},
    process,
    process::Stdio,
    sync::mpsc,
    time::{Duration, Instant},
};

use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::{error::Error, server, workload::Sample};

/// How long a command may take to send its first request.
const PATIENCE: Duration = Duration::from_secs(20);

/// The command, an existing store, and a server that reports arrivals.
pub(super) struct Command {
    path: PathBuf,
    port: u16,
    arrivals: mpsc::Receiver<Instant>,
    dir: TempDir,
}

impl Command {
    /// Finds the command and runs it once, so that its store exists.
    pub(super) fn open(path: Option<&Path>, dir: &Path) -> Result<Self, Error> {
        let path = found(path)?;
        if !path.is_file() {
            return Err(Error::NoCommand(path));
        }
        let (port, arrivals) = listen()?;
        let dir = tempfile::Builder::new()
            .prefix("legwork-bench-")
            .tempdir_in(dir)
            .map_err(Error::io("making a folder for the store"))?;
        let command = Self { path, port, arrivals, dir };
        command.first_request()?;
        Ok(command)
    }

    /// Measures both starts once, in milliseconds.
    pub(super) fn measure(&self) -> Result<Sample, Error> {
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        Ok(Sample::from([
            ("first_request_ms".to_owned(), millis(self.first_request()?)),
            ("version_ms".to_owned(), millis(self.version()?)),
        ]))
    }

    /// The time from before the start of the process to the head of its first request.
    fn first_request(&self) -> Result<Duration, Error> {
        let store = format!("sqlite:{}", self.dir.path().join("store.db").display());
        let url = format!("http://127.0.0.1:{}/v1", self.port);
        let mut command = self.command();
        command
            .args(["run", "--model", "openai:script-n1", "--base-url", &url])
            .args(["--store", &store, "--dir"])
            .arg(self.dir.path())
            .arg("Say a word.");
        let start = Instant::now();
        let mut child =
            command.spawn().map_err(Error::io(format!("starting {}", self.path.display())))?;
        let arrival = self.arrivals.recv_timeout(PATIENCE);
        if arrival.is_err() {
            // It may have ended already; if not, it must not hold up the rounds.
            let _ = child.kill();
        }
        finish(child, "legwork run")?;
        let arrival = arrival.map_err(|_| Error::Outcome {
            what: "requests of `legwork run`",
            expected: "one".to_owned(),
            found: "none".to_owned(),
        })?;
        Ok(arrival - start)
    }

    /// The time of `legwork --version`.
    fn version(&self) -> Result<Duration, Error> {
        let mut command = self.command();
        command.arg("--version");
        let start = Instant::now();
        let child =
            command.spawn().map_err(Error::io(format!("starting {}", self.path.display())))?;
        finish(child, "legwork --version")?;
        Ok(start.elapsed())
    }

    /// The command with a key, without a proxy, and with its standard streams redirected.
    fn command(&self) -> process::Command {
        let mut command = process::Command::new(&self.path);
        command
            .env("OPENAI_API_KEY", "bench")
            .env("NO_PROXY", "127.0.0.1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }
}

/// Waits for a child to succeed; if it fails, the error contains its output.
fn finish(child: process::Child, command: &str) -> Result<(), Error> {
    let output = child.wait_with_output().map_err(Error::io(format!("waiting for `{command}`")))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let status = format!("{}: {}", output.status, said.trim());
    Err(Error::Child { command: command.to_owned(), status })
}

/// The command that was given, or the one next to this executable.
pub(super) fn found(path: Option<&Path>) -> Result<PathBuf, Error> {
    path.map_or_else(next_to_us, |path| Ok(path.to_owned()))
}

/// The `legwork` in the folder of this executable.
fn next_to_us() -> Result<PathBuf, Error> {
    let path = std::env::current_exe().map_err(Error::io("looking for this executable"))?;
    Ok(path.with_file_name(format!("legwork{}", std::env::consts::EXE_SUFFIX)))
}

/// A scripted server on a thread of this process: its port and its arrivals.
fn listen() -> Result<(u16, mpsc::Receiver<Instant>), Error> {
    let (tell, arrivals) = mpsc::channel();
    let runtime = crate::runtime()?;
    let listener = runtime
        .block_on(TcpListener::bind(("127.0.0.1", 0)))
        .map_err(Error::io("binding a loopback port"))?;
    let address = listener.local_addr().map_err(Error::io("asking for the bound port"))?;
    std::thread::spawn(move || runtime.block_on(server::serve(listener, Some(tell))));
    Ok((address.port(), arrivals))
}
