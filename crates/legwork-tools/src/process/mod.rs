//! A command that runs under a guard, within bounds of time and memory.

mod census;
mod cgroup;
mod descendants;
mod guard;
mod lifeline;
mod loopback;
mod mounts;
mod namespaces;
mod private;
mod restrict;
mod stat;
mod watch;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use legwork_port::sandbox::{Cleanup, Confined};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::task::unconstrained;
use tokio::time::timeout;

use self::cgroup::Cgroup;
use self::guard::Post;
use self::lifeline::Held;
pub(crate) use self::lifeline::Lifeline;
pub(crate) use self::mounts::Mounts;
use self::private::Private;
use self::restrict::Restriction;
pub(crate) use self::watch::Excess;
use crate::bash::Environment;
use crate::linux::Restrictions;
use crate::sandbox::Limits;

/// Bytes taken from the pipe at once.
const CHUNK: usize = 64 * 1024;
/// Most bytes taken after the end: no pipe holds more (`pipe-max-size`).
const LEFTOVER_MAX: usize = 1024 * 1024;
/// How long the guard may take to kill the descendants before they are left running.
pub(crate) const KILLING: Duration = Duration::from_secs(10);

/// What is said where the restrictions of a sandbox are of an unknown type.
const UNKNOWN: &str = "its sandbox restricts processes in a way that is not known here; it has to \
                       use legwork_tools::linux::Restrictions";

/// Tasks, threads too, that a command may have for each process that it may
/// have: where the kernel refuses more, long after the guard has seen it.
const TASKS: u64 = 8;

/// What to run, where, and within which bounds.
#[derive(Debug)]
pub(crate) struct Order {
    /// How it is started so that it is confined.
    pub(crate) confined: Confined,
    pub(crate) limits: Limits,
    pub(crate) environment: Environment,
    pub(crate) directory: PathBuf,
    /// Between asking to end and killing, when it was enough.
    pub(crate) grace: Duration,
    /// The name of processes that serve the sandbox, not the command.
    pub(crate) walls: Option<Vec<u8>>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Exited(i32),
    Signalled(i32),
    /// When it was enough, within the grace after it was asked to.
    Asked,
    /// When it was enough, by force.
    Killed,
    /// When it was enough, and something of it could not be killed.
    Stuck,
    /// By force, since it took too much.
    Exceeded(Excess),
}

/// Where what a command prints goes.
pub(crate) trait Sink: Send {
    /// Takes the next bytes.
    fn push(&mut self, chunk: &[u8]);
}

/// A command that runs.
///
/// Dropping it kills the command and everything that came of it, and blocks until they have
/// ended: a few milliseconds as a rule, [`KILLING`] at most. The death of this process kills
/// them, too.
pub(crate) struct Running<S> {
    supervised: Supervised,
    grace: Duration,
    walls: Option<Vec<u8>>,
    printed: pipe::Receiver,
    open: bool,
    sink: S,
    chunk: Vec<u8>,
}

/// The processes of a command, and what is undone when they have ended.
struct Supervised {
    guard: Child,
    /// Receives a byte that says which limit was exceeded; closed when the guard has ended.
    report: OwnedFd,
    lifeline: Held,
    cleanup: Cleanup,
    /// Dropped last: a group with processes cannot be removed.
    _group: Option<Cgroup>,
}

impl Supervised {
    /// Waits until the guard has ended, which ends after the processes of the command.
    fn wait(&self, most: Duration) {
        let deadline = Instant::now() + most;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).unwrap_or_default();
            let mut waited = [PollFd::new(&self.report, PollFlags::IN)];
            let polled = poll(&mut waited, Some(&left));
            let is_closed = waited.iter().all(|waited| waited.revents() == PollFlags::HUP);
            match polled {
                Ok(1..) if !is_closed => drop(self.excess()),
                Err(Errno::INTR) => {}
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// Which limit was exceeded, as the guard reported it.
    fn excess(&self) -> Option<Excess> {
        let mut byte = [0];
        rustix::io::read(&self.report, &mut byte).ok().filter(|read| *read == 1)?;
        Excess::of(byte[0])
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.lifeline.lifeline().cut();
        // What is put back while processes run they may change again.
        let cleanup = std::mem::take(&mut self.cleanup);
        if !cleanup.is_empty() {
            self.wait(KILLING);
            drop(cleanup);
        }
    }
}

impl<S: Sink> Running<S> {
    /// Starts a command whose output goes to `sink`.
    ///
    /// # Errors
    /// When it could not be started.
    pub(crate) fn start(order: Order, sink: S) -> io::Result<Self> {
        let (watched, lifeline) = io::pipe()?;
        let (printed, printing) = io::pipe()?;
        let (report, reporting) = io::pipe()?;
        let Confined { command: line, environment, private, restrictions, cleanup, .. } =
            order.confined;
        let Restrictions { inherited, mounts, loopback, privileges, ruleset, filter } =
            restrictions.take().map_err(|_| io::Error::new(io::ErrorKind::Unsupported, UNKNOWN))?;
        let (program, arguments) =
            line.split_first().ok_or(io::Error::from(io::ErrorKind::InvalidInput))?;
        let most = u64::from(order.limits.processes).saturating_mul(TASKS);
        let (group, joined) = Cgroup::new(most).unzip();
        let restriction = Restriction {
            inherited,
            mounts: Mounts::new(&mounts)?,
            loopback,
            privileges,
            ruleset,
            filter,
            limits: order.limits,
            tasks: tasks().saturating_add(most),
            group: joined,
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(order.environment.iter())
            .envs(environment)
            .current_dir(&order.directory)
            .stdin(Stdio::null())
            .stdout(printing.try_clone()?)
            .stderr(printing);
        let (lifeline_end, report_end) = (watched.into(), reporting.into());
        guard::install(
            &mut command,
            Post {
                lifeline: lifeline_end,
                report: report_end,
                restriction,
                private: Private::new(&private),
            },
        );
        let printed = pipe::Receiver::from_owned_fd(printed.into())?;
        let guard = command.spawn()?;
        // It has the guard's end of the report.
        drop(command);
        let supervised = Supervised {
            guard,
            report: report.into(),
            lifeline: Held::new(lifeline.into()),
            cleanup,
            _group: group,
        };
        Ok(Self {
            supervised,
            grace: order.grace,
            walls: order.walls,
            printed,
            open: true,
            sink,
            chunk: vec![0; CHUNK],
        })
    }

    /// What ends it at once, by force.
    pub(crate) fn lifeline(&self) -> Lifeline {
        self.supervised.lifeline.lifeline()
    }

    /// Waits for the end; when it is `enough`, asks for it, and forces it after the grace.
    ///
    /// # Errors
    /// When the end could not be learned.
    pub(crate) async fn finish(mut self, enough: impl Future<Output = ()>) -> io::Result<(End, S)> {
        let end = self.end(enough).await?;
        let cleanup = std::mem::take(&mut self.supervised.cleanup);
        let sink = self.close();
        tokio::task::spawn_blocking(move || drop(cleanup)).await.map_err(io::Error::other)?;
        Ok((end, sink))
    }

    async fn end(&mut self, enough: impl Future<Output = ()>) -> io::Result<End> {
        tokio::select! {
            // An end that comes at the same time is an end by itself.
            biased;
            status = self.ended() => {
                let status = status?;
                return Ok(self.supervised.excess().map_or_else(|| end_of(status), End::Exceeded));
            }
            // Output that never ends must not use up the turns of what ends it.
            () = unconstrained(enough) => {}
        }
        if let Some(guard) = self.supervised.guard.id() {
            descendants::ask_to_end(guard, self.walls.as_deref());
        }
        if let Ok(status) = timeout(self.grace, self.ended()).await {
            status?;
            return Ok(End::Asked);
        }
        self.lifeline().cut();
        match timeout(KILLING, self.ended()).await {
            Ok(status) => status.map(|_| End::Killed),
            Err(_) => Ok(End::Stuck),
        }
    }

    /// Takes output until the guard has ended; may be dropped and called again.
    async fn ended(&mut self) -> io::Result<ExitStatus> {
        loop {
            tokio::select! {
                status = self.supervised.guard.wait() => return status,
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
            Ok(length) => self.sink.push(self.chunk.get(..length).unwrap_or_default()),
            Err(error) => self.open = error.kind() == io::ErrorKind::WouldBlock,
        }
    }

    /// Takes what the pipe still holds. A writer that could not be killed must
    /// not hold us up, so its end is not waited for.
    fn close(mut self) -> S {
        let mut taken = 0;
        while self.open && taken < LEFTOVER_MAX {
            // Not through the runtime, which may not know of the last bytes yet.
            match rustix::io::read(&self.printed, &mut self.chunk) {
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => break,
                Ok(length) => {
                    taken += length;
                    self.sink.push(self.chunk.get(..length).unwrap_or_default());
                }
            }
        }
        self.sink
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signalled(signal),
        (None, None) => End::Stuck,
    }
}

/// Whether a control group can be made that bounds processes.
pub(crate) fn has_group() -> bool {
    Cgroup::new(TASKS).is_some()
}

/// The tasks of the whole machine; no user has more.
fn tasks() -> u64 {
    let load = std::fs::read("/proc/loadavg").unwrap_or_default();
    watch::tasks_in(&load).unwrap_or_default()
}
