//! A server as a child process that does not outlive its parent.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::folder::Folder;

/// Runs a server, sends it the signals whose names come on its input, and ends when it has ended.
///
/// The input of a process that died is at its end: then the server is stopped, and its folder is
/// removed. The reader says so with its exit code, so from there on it is not ended when the server
/// ends. The first line of the output is the server's process id.
const SUPERVISOR: &str = r#"
folder=$1
stop=$2
shift 2
exec 3<&0
"$@" </dev/null >>"$folder/log" 2>&1 3<&- &
server=$!
(
    while read -r signal; do kill -s "$signal" "$server"; done
    trap '' TERM
    kill -s "$stop" "$server"
    exit 7
) <&3 >/dev/null 2>&1 &
reader=$!
echo "$server"
exec >/dev/null
wait "$server"
kill "$reader" 2>/dev/null
wait "$reader"
if [ $? -eq 7 ]; then rm -rf -- "$folder"; fi
"#;

/// How long a server may take until it answers.
const STARTING: Duration = Duration::from_secs(60);

/// A server that runs.
#[derive(Debug)]
pub(super) struct Supervised {
    supervisor: Child,
    /// Closed to have the server stopped and its folder removed.
    signals: Option<ChildStdin>,
    id: u32,
}

impl Supervised {
    /// Starts a server; `command` is what `folder` made for its program, and `stop` the signal that
    /// ends it at once.
    fn spawn(folder: &Folder, command: &Command, stop: &str) -> io::Result<Self> {
        let mut supervisor = folder.command(Path::new("/bin/sh"));
        supervisor.args(["-c", SUPERVISOR, "supervisor"]).arg(folder.path()).arg(stop);
        supervisor.arg(command.get_program()).args(command.get_args());
        // A signal of the terminal is for the tests, which then stop it.
        supervisor.process_group(0);
        supervisor.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut supervisor = supervisor.spawn()?;
        let signals = supervisor.stdin.take();
        let mut line = String::new();
        if let Some(stdout) = supervisor.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let id = line.trim().parse().map_err(io::Error::other)?;
        Ok(Self { supervisor, signals, id })
    }

    /// Starts a server and waits until it is ready. One that ends at once is started again, since
    /// its port may have been taken, or the processes of one that was killed may still end.
    pub(super) fn start(
        folder: &Folder,
        stop: &str,
        command: impl Fn() -> io::Result<Command>,
        is_ready: impl Fn(u32) -> bool,
    ) -> io::Result<Self> {
        let until = Instant::now() + STARTING;
        while Instant::now() < until {
            let mut server = Self::spawn(folder, &command()?, stop)?;
            while !server.has_ended()? && Instant::now() < until {
                if is_ready(server.id) {
                    return Ok(server);
                }
                thread::sleep(Duration::from_millis(5));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Err(io::Error::other(format!("a server did not start; it says:\n{}", log(folder))))
    }

    /// Its process id.
    pub(super) fn id(&self) -> u32 {
        self.id
    }

    fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.supervisor.try_wait()?.is_some())
    }

    /// Sends a signal, given by its name without `SIG`.
    pub(super) fn signal(&mut self, name: &str) -> io::Result<()> {
        let Some(signals) = &mut self.signals else { return Ok(()) };
        writeln!(signals, "{name}")
    }

    /// Sends a signal and waits until the server has ended.
    pub(super) fn end(&mut self, signal: &str) -> io::Result<()> {
        if self.has_ended()? {
            return Ok(());
        }
        self.signal(signal)?;
        self.supervisor.wait().map(drop)
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        drop(self.signals.take());
        let _ = self.supervisor.wait();
    }
}

/// What a server wrote last.
fn log(folder: &Folder) -> String {
    let text = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
    let lines: Vec<_> = text.lines().collect();
    lines.get(lines.len().saturating_sub(20)..).unwrap_or_default().join("\n")
}

/// A port of loopback that is free now.
pub(super) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Runs a program to its end.
pub(super) fn run(command: &mut Command) -> io::Result<()> {
    let program = PathBuf::from(command.get_program());
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("`{}` failed: {}", program.display(), said.trim())))
}
