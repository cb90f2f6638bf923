//! A worker's process, as the test sees it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use tokio::sync::mpsc::UnboundedSender;

use super::child::{LEASE, LEDGER, URL};
use super::points::{MARK, Point};

/// What a worker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// It begins to run a session.
    Began(String),
    /// A session stands at a point until it is let go.
    At { at: u64, point: Point, session: String },
    /// A session rests.
    Rested(String),
    /// It lost the claim of a session.
    Lost(String),
    /// Something else went wrong.
    Failed(String),
}

impl Said {
    fn read(line: &str) -> Self {
        let (kind, rest) = line.split_once(' ').unwrap();
        let rest = rest.to_owned();
        match kind {
            "began" => Self::Began(rest),
            "rested" => Self::Rested(rest),
            "lost" => Self::Lost(rest),
            "point" => {
                let mut words = rest.splitn(3, ' ');
                let mut next = || words.next().unwrap();
                let (at, point) = (next().parse().unwrap(), next().parse().unwrap());
                Self::At { at, point, session: next().to_owned() }
            }
            _ => Self::Failed(line.to_owned()),
        }
    }
}

/// What all workers of a test share.
#[derive(Clone)]
pub(super) struct Setup {
    pub(super) url: String,
    pub(super) ledger: PathBuf,
    pub(super) lease: Duration,
}

/// A worker's process; dropping it kills it.
pub(super) struct Process {
    child: Child,
    stdin: ChildStdin,
}

impl Process {
    /// Starts a worker; what it says is sent with its number.
    pub(super) fn start(
        number: usize,
        setup: &Setup,
        said: UnboundedSender<(usize, Said)>,
    ) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["contention::child::works_in_a_child", "--exact", "--nocapture"]);
        command.env(URL, &setup.url).env(LEDGER, &setup.ledger);
        command.env(LEASE, setup.lease.as_millis().to_string());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        std::thread::spawn(move || {
            // The last line of a killed process may be cut.
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if let Some((_, line)) = line.split_once(MARK) {
                    let _ = said.send((number, Said::read(line)));
                }
            }
        });
        Self { child, stdin }
    }

    /// Lets what stands at a point go on. A process that died does not hear it.
    pub(super) fn go(&mut self, at: u64) {
        let _ = self.stdin.write_all(format!("go {at}\n").as_bytes());
    }

    /// Kills it with SIGKILL; when this returns it is dead.
    pub(super) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Pauses it with SIGSTOP; when this returns it stands still.
    pub(super) fn pause(&self) {
        kill_process(self.pid(), Signal::STOP).unwrap();
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.pid()), options).unwrap();
    }

    /// Lets it go on after [`Process::pause`].
    pub(super) fn resume(&self) {
        kill_process(self.pid(), Signal::CONT).unwrap();
    }

    /// Asks it to rest, and waits until it has ended by itself.
    pub(super) fn rests(mut self) {
        self.stdin.write_all(b"rest\n").unwrap();
        assert!(self.child.wait().unwrap().success());
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
