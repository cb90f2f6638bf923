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
mod streams;
mod watch;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use legwork_port::sandbox::{Cleanup, Confined, Restrictions};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
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
pub(crate) use self::streams::{Apart, Pipes, Sink};
use self::streams::{Merged, Output, Streams};
pub(crate) use self::watch::Excess;
use crate::bash::Environment;
use crate::linux;
use crate::sandbox::Limits;

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

/// A command that runs.
///
/// Dropping it kills the command and everything that came of it, and blocks until they have
/// ended: a few milliseconds as a rule, [`KILLING`] at most. The death of this process kills
/// them, too.
pub(crate) struct Running<O> {
    supervised: Supervised,
    grace: Duration,
    walls: Option<Vec<u8>>,
    output: O,
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
    /// Starts a command under a guard.
    fn start(order: Order, streams: Streams) -> io::Result<Self> {
        let (watched, lifeline) = io::pipe()?;
        let (report, reporting) = io::pipe()?;
        let Confined { command: line, environment, private, restrictions, cleanup, .. } =
            order.confined;
        let (restriction, group) = restriction(restrictions, order.limits)?;
        let (program, arguments) =
            line.split_first().ok_or(io::Error::from(io::ErrorKind::InvalidInput))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(order.environment.iter())
            .envs(environment)
            .current_dir(&order.directory)
            .stdin(streams.input)
            .stdout(streams.output)
            .stderr(streams.errors);
        let post = Post {
            lifeline: watched.into(),
            report: reporting.into(),
            restriction,
            private: Private::new(&private),
        };
        guard::install(&mut command, post);
        let guard = command.spawn()?;
        // It has the guard's end of the report.
        drop(command);
        let lifeline = Held::new(lifeline.into());
        Ok(Self { guard, report: report.into(), lifeline, cleanup, _group: group })
    }

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

impl<S: Sink> Running<Merged<S>> {
    /// Starts a command without input whose output goes to `sink`.
    ///
    /// # Errors
    /// When it could not be started.
    pub(crate) fn start(order: Order, sink: S) -> io::Result<Self> {
        let (output, streams) = Merged::new(sink)?;
        Self::with(order, streams, output)
    }
}

impl Running<Apart> {
    /// Starts a command whose streams are pipes, and returns our ends of them.
    ///
    /// # Errors
    /// When it could not be started.
    pub(crate) fn start_apart(order: Order) -> io::Result<(Self, Pipes)> {
        let [input, output, errors] = [Stdio::piped(), Stdio::piped(), Stdio::piped()];
        let mut running = Self::with(order, Streams { input, output, errors }, Apart)?;
        let guard = &mut running.supervised.guard;
        match (guard.stdin.take(), guard.stdout.take(), guard.stderr.take()) {
            (Some(input), Some(output), Some(errors)) => Ok((running, (input, output, errors))),
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl<O: Output> Running<O> {
    fn with(order: Order, streams: Streams, output: O) -> io::Result<Self> {
        let (grace, walls) = (order.grace, order.walls.clone());
        Ok(Self { supervised: Supervised::start(order, streams)?, grace, walls, output })
    }

    /// What ends it at once, by force.
    pub(crate) fn lifeline(&self) -> Lifeline {
        self.supervised.lifeline.lifeline()
    }

    /// Waits for the end; when it is `enough`, asks for it, and forces it after the grace.
    ///
    /// # Errors
    /// When the end could not be learned.
    pub(crate) async fn finish(
        mut self,
        enough: impl Future<Output = ()>,
    ) -> io::Result<(End, O::Left)> {
        let end = self.end(enough).await?;
        let cleanup = std::mem::take(&mut self.supervised.cleanup);
        let left = self.output.close();
        drop(self.supervised);
        tokio::task::spawn_blocking(move || drop(cleanup)).await.map_err(io::Error::other)?;
        Ok((end, left))
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
                taken = self.output.take() => taken?,
            }
        }
    }
}

/// What a command gives up before it starts, and the group that bounds its tasks.
fn restriction(
    restrictions: Restrictions,
    limits: Limits,
) -> io::Result<(Restriction, Option<Cgroup>)> {
    let linux::Restrictions { inherited, mounts, loopback, privileges, ruleset, filter } =
        restrictions.take().map_err(|_| io::Error::new(io::ErrorKind::Unsupported, UNKNOWN))?;
    let most = u64::from(limits.processes).saturating_mul(TASKS);
    let (group, joined) = Cgroup::new(most).unzip();
    let restriction = Restriction {
        inherited,
        mounts: Mounts::new(&mounts)?,
        loopback,
        privileges,
        ruleset,
        filter,
        limits,
        tasks: tasks().saturating_add(most),
        group: joined,
    };
    Ok((restriction, group))
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
