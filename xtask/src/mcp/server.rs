//! The scenarios of the suite in which it is the client of our server.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::REVISIONS;
use super::results::{self, Report};
use super::suite::{Side, Suite};

/// The scenarios of the extension for tasks, which no revision requires; the suite plays them with
/// the list of the last one.
///
/// `tasks-status-notifications` is missing, as the suite checks nothing in it yet.
const TASKS: (&str, &[&str]) = (
    "2026-07-28",
    &[
        "tasks-lifecycle",
        "tasks-capability-negotiation",
        "tasks-wire-fields",
        "tasks-request-state-removal",
        "tasks-mrtr-input",
        "tasks-request-headers",
        "tasks-dispatch-and-envelope",
        "tasks-required-task-error",
        "tasks-mrtr-composition",
    ],
);

/// How long the server may take to end.
const END: Duration = Duration::from_secs(10);

/// Plays the scenarios of each revision against one server.
pub(super) fn conforms(suite: &Suite, program: &Path) -> Result<(), String> {
    let server = Server::start(program)?;
    let mut report = Report::default();
    for revision in REVISIONS {
        let mut scenarios = suite.required(revision.name, Side::Server, revision.server)?;
        if revision.name == TASKS.0 {
            scenarios.extend(TASKS.1.iter().copied().map(str::to_owned));
        }
        // The suite plays a list one after the other, in a single process.
        let (mut command, out) = suite.play(Side::Server)?;
        command.args(["--url", &server.url, "--requirements", revision.name]);
        // Its exit code hides warnings, and scenarios of which nothing was checked.
        let played = command.output();
        let played = played.map_err(|error| format!("the suite cannot be started: {error}"))?;
        if !out.exists() {
            let said = String::from_utf8_lossy(&played.stderr);
            return Err(format!("the suite gives no results for {}:\n{said}", revision.name));
        }
        for scenario in &scenarios {
            let checks = results::of_server(out, scenario)?.unwrap_or_default();
            report.add(revision.name, scenario, &checks);
        }
    }
    server.end()?;
    report.result("the server")
}

/// The server under test, killed when it is dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts a server, which prints its URL and serves until its standard input ends.
    fn start(program: &Path) -> Result<Self, String> {
        let at = |error| format!("{}: {error}", program.display());
        let mut command = Command::new(program);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(at)?;
        let stdout = child.stdout.take();
        let mut server = Self { child, url: String::new() };
        if let Some(stdout) = stdout {
            BufReader::new(stdout).read_line(&mut server.url).map_err(at)?;
        }
        server.url.truncate(server.url.trim_end().len());
        match server.url.is_empty() {
            true => Err(format!("{} prints no URL", program.display())),
            false => Ok(server),
        }
    }

    /// Ends the standard input of the server, and waits until it has ended.
    fn end(mut self) -> Result<(), String> {
        drop(self.child.stdin.take());
        let start = Instant::now();
        while start.elapsed() < END {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(format!("the server failed: {status}")),
                Ok(None) => thread::sleep(Duration::from_millis(20)),
                Err(error) => return Err(format!("the server cannot be waited for: {error}")),
            }
        }
        Err(format!("the server goes on for {} s after its input ended", END.as_secs()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended is not killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
