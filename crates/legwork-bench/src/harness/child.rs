//! The child processes: the server, and a side in a round.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use clap::ValueEnum;

use super::Side;
use crate::{
    error::Error,
    workload::{Conditions, Sample, Workload},
};

/// The scripted server as a child; it ends when this is dropped.
pub(super) struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts it and waits until it prints its port.
    pub(super) fn start() -> Result<Self, Error> {
        let mut child = ourselves()?
            .arg("server")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(Error::io("starting the scripted server"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output)
                .read_line(&mut line)
                .map_err(Error::io("reading the server's port"))?;
        }
        let port = line.trim().parse().map_err(|_| Error::Outcome {
            what: "first line of the server",
            expected: "a port".to_owned(),
            found: line.clone(),
        })?;
        Ok(Self { child, port })
    }

    /// Its address, with `/v1`.
    pub(super) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already; either way it is reaped.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs one side of one round to its end and reads its figures.
pub(super) fn subject(
    side: Side,
    workload: Workload,
    conditions: &Conditions,
) -> Result<Sample, Error> {
    let output = run(&mut ourselves()?, side, workload, conditions)?;
    let text = String::from_utf8_lossy(&output);
    let (said, figures) = parts(&text);
    for line in said {
        super::say(&format!("{}: {line}", workload.name()))?;
    }
    serde_json::from_str(figures).map_err(Error::json("the figures of a side"))
}

/// The last line, which has the figures, and those before: they say which servers are missing.
fn parts(text: &str) -> (impl Iterator<Item = &str>, &str) {
    let text = text.trim_end();
    let (said, figures) = text.rsplit_once('\n').unwrap_or(("", text));
    (said.lines(), figures)
}

/// Runs one side under another program, as `strace` or `valgrind` do it.
pub(super) fn subject_under(
    tracer: &mut Command,
    side: Side,
    workload: Workload,
    conditions: &Conditions,
) -> Result<(), Error> {
    let path = ourselves()?.get_program().to_owned();
    run(tracer.arg(path), side, workload, conditions).map(drop)
}

/// Appends a side and its conditions to a command line, runs it, and returns its output.
fn run(
    command: &mut Command,
    side: Side,
    workload: Workload,
    conditions: &Conditions,
) -> Result<Vec<u8>, Error> {
    let side = side.to_possible_value();
    let side = side.as_ref().map_or("", |value| value.get_name());
    let (bytes, writes) = conditions.writes;
    let executions = conditions.executions.map(|number| number.to_string());
    let output = command
        .args(["subject", side, workload.name()])
        .args(["--base-url", &conditions.base_url])
        .args(["--bytes", &bytes.to_string()])
        .args(["--writes", &writes.to_string()])
        .args(executions.iter().flat_map(|number| ["--executions", number]))
        .arg("--dir")
        .arg(&conditions.dir)
        .stderr(Stdio::inherit())
        .output()
        .map_err(Error::io(format!("starting {side}")))?;
    if !output.status.success() {
        let command = format!("legwork-bench subject {side} {}", workload.name());
        return Err(Error::Child { command, status: output.status.to_string() });
    }
    Ok(output.stdout)
}

/// A command for this executable.
fn ourselves() -> Result<Command, Error> {
    let path = std::env::current_exe().map_err(Error::io("looking for this executable"))?;
    Ok(Command::new(path))
}

#[cfg(test)]
mod tests;
