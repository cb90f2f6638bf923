//! A command that runs under a guard, within bounds of time and memory.

mod family;
mod guard;

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::io::Errno;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::bash::Environment;
use crate::bash::output::Output;

/// Bytes taken from the pipe at once.
const CHUNK: usize = 64 * 1024;
/// Most bytes taken after the end: no pipe holds more (`pipe-max-size`).
const LEFTOVER_MAX: usize = 1024 * 1024;
/// How long the guard may take to kill a family before we go on without it.
pub(crate) const KILLING: Duration = Duration::from_secs(10);

/// What to run, where, and within which bounds.
#[derive(Debug)]
pub(crate) struct Order {
    /// The program and its arguments.
    pub(crate) line: Vec<OsString>,
    pub(crate) environment: Environment,
    pub(crate) directory: PathBuf,
    pub(crate) limit: Duration,
    /// Between asking to end and killing, at the limit.
    pub(crate) grace: Duration,
    /// Most bytes of output kept.
    pub(crate) shown: usize,
    /// The name of processes that serve the sandbox, not the command.
    pub(crate) walls: Option<Vec<u8>>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exited(i32),
    Signalled(i32),
    /// At the limit, within the grace after it was asked to.
    TimedOut,
    /// At the limit, by force.
    Killed,
    /// At the limit, and something of it could not be killed.
    Stuck,
}

/// A command that ended and what it printed.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) end: End,
    pub(crate) output: Output,
}

/// Runs a command to its end, or to its limit.
///
/// Dropping the future kills the command and everything that came of it; so
/// does the death of this process.
///
/// # Errors
/// When the command could not be started.
pub(crate) async fn run(order: Order) -> io::Result<Ended> {
    let mut running = Running::start(&order)?;
    if let Ok(status) = timeout(order.limit, running.ended()).await {
        return Ok(running.close(end_of(status?)));
    }
    if let Some(guard) = running.guard.id() {
        family::ask_to_end(guard, order.walls.as_deref());
    }
    if let Ok(status) = timeout(order.grace, running.ended()).await {
        status?;
        return Ok(running.close(End::TimedOut));
    }
    running.lifeline = None;
    match timeout(KILLING, running.ended()).await {
        Ok(status) => {
            status?;
            Ok(running.close(End::Killed))
        }
        Err(_) => Ok(running.close(End::Stuck)),
    }
}

struct Running {
    guard: Child,
    /// Closed, it makes the guard kill; only that, so that a drop does it too.
    lifeline: Option<OwnedFd>,
    printed: pipe::Receiver,
    open: bool,
    output: Output,
    chunk: Vec<u8>,
}

impl Running {
    fn start(order: &Order) -> io::Result<Self> {
        let (watched, lifeline) = io::pipe()?;
        let (printed, printing) = io::pipe()?;
        let (program, arguments) =
            order.line.split_first().ok_or(io::Error::from(io::ErrorKind::InvalidInput))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(order.environment.iter())
            .current_dir(&order.directory)
            .stdin(Stdio::null())
            .stdout(printing.try_clone()?)
            .stderr(printing);
        guard::install(&mut command, watched.into());
        let guard = command.spawn()?;
        Ok(Self {
            guard,
            lifeline: Some(lifeline.into()),
            printed: pipe::Receiver::from_owned_fd(printed.into())?,
            open: true,
            output: Output::new(order.shown),
            chunk: vec![0; CHUNK],
        })
    }

    /// Takes output until the guard has ended; may be dropped and called again.
    async fn ended(&mut self) -> io::Result<ExitStatus> {
        loop {
            tokio::select! {
                status = self.guard.wait() => return status,
                ready = self.printed.readable(), if self.open => {
                    ready?;
                    self.take();
                }
            }
        }
    }

    fn take(&mut self) {
        match self.printed.try_read(&mut self.chunk) {
            Ok(0) => self.open = false,
            Ok(length) => self.output.push(self.chunk.get(..length).unwrap_or_default()),
            Err(error) => self.open = error.kind() == io::ErrorKind::WouldBlock,
        }
    }

    /// Takes what the pipe still holds. A writer that nobody could kill must
    /// not hold us up, so its end is not waited for.
    fn close(mut self, end: End) -> Ended {
        let mut taken = 0;
        while self.open && taken < LEFTOVER_MAX {
            // Past the runtime, which may not have heard of the last bytes.
            match rustix::io::read(&self.printed, &mut self.chunk) {
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => break,
                Ok(length) => {
                    taken += length;
                    self.output.push(self.chunk.get(..length).unwrap_or_default());
                }
            }
        }
        Ended { end, output: self.output }
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signalled(signal),
        (None, None) => End::Stuck,
    }
}
