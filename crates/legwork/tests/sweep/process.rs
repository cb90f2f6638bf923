//! A child that runs the program, with a fault or without one.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::child::{ADDRESS, EFFECTS, FAULT, Line};
use crate::fault::{Fault, What};
use crate::place::Place;

/// How long a child may take; one that hangs is killed, and its case fails.
const LONGEST: Duration = Duration::from_secs(120);

/// What a child said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    /// The commits it counted; none if it did not come to its end.
    pub(crate) finished: Option<(usize, usize)>,
    /// The errors that it was given, each with whether it is one of the store.
    pub(crate) failures: Vec<(bool, String)>,
    pub(crate) panicked: bool,
    /// It made no call that something was to happen at, or had ended.
    pub(crate) missed: bool,
    /// All that it wrote, for a person.
    pub(crate) everything: String,
}

/// Runs the program in a place to the end of its process.
pub(crate) fn run(place: &Place, fault: &Fault) -> Result<Said, String> {
    let log = place.folder().join("fault");
    let said = Running::start_by(command_of(fault, &log), place, fault)?.end()?;
    let hit = |log: String| log.contains("INJECTED") || log.contains("killed by SIGKILL");
    let missed = !std::fs::read_to_string(log).is_ok_and(hit);
    match matches!(fault, Fault::Call { .. }) && missed {
        true => Ok(Said { missed, ..said }),
        false => Ok(said),
    }
}

/// Runs the program undisturbed while `strace` logs its calls.
pub(crate) fn run_traced(place: &Place, calls: &str, log: &Path) -> Result<Said, String> {
    let mut strace = strace(log, calls);
    strace.args(["-y", "--"]).arg(this_program());
    Running::start_by(strace, place, &Fault::None)?.end()
}

/// A child at work.
#[derive(Debug)]
pub(crate) struct Running {
    id: Pid,
    ended: Receiver<io::Result<Output>>,
}

impl Running {
    /// Starts the program.
    pub(crate) fn start(place: &Place, fault: &Fault) -> Result<Self, String> {
        Self::start_by(Command::new(this_program()), place, fault)
    }

    /// Starts it by a command that takes its arguments.
    fn start_by(mut command: Command, place: &Place, fault: &Fault) -> Result<Self, String> {
        command.args(["child::plays_its_role", "--exact", "--nocapture"]);
        command.env(ADDRESS, place.address()).env(EFFECTS, place.effects());
        command.env(FAULT, fault.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child: Child = command.spawn().map_err(|error| format!("cannot start it: {error}"))?;
        let (id, (ends, ended)) = (Pid::from_child(&child), mpsc::channel());
        thread::spawn(move || ends.send(child.wait_with_output()));
        Ok(Self { id, ended })
    }

    /// Lets it work for a time; what it said if it ends before.
    pub(crate) fn work_for(&self, time: Duration) -> Result<Option<Said>, String> {
        match self.ended.recv_timeout(time) {
            Ok(output) => output.map(|output| Some(read(&output))).map_err(|e| e.to_string()),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err("its output is lost".to_owned()),
        }
    }

    /// Waits until it ends.
    pub(crate) fn end(self) -> Result<Said, String> {
        match self.work_for(LONGEST)? {
            Some(said) => Ok(said),
            None => {
                let _ = kill_process(self.id, Signal::KILL);
                Err(format!("it did not end in {} s", LONGEST.as_secs()))
            }
        }
    }
}

/// How long an undisturbed run takes.
pub(crate) fn duration(place: &Place) -> Result<Duration, String> {
    let start = Instant::now();
    let said = run(place, &Fault::None)?;
    match said.finished {
        Some(_) => Ok(start.elapsed()),
        None => Err(format!("undisturbed it does not finish:\n{}", said.everything)),
    }
}

/// The command of the program, under `strace` if something happens at a call.
fn command_of(fault: &Fault, log: &Path) -> Command {
    let Fault::Call { call, number, what } = fault else { return Command::new(this_program()) };
    let later = if *what == What::Full { "+" } else { "" };
    let what = match what {
        What::Kill => "signal=KILL",
        What::Eio => "error=EIO",
        What::Enospc | What::Full => "error=ENOSPC",
    };
    let mut strace = strace(log, call);
    strace.arg("-e").arg(format!("inject={call}:{what}:when={number}{later}"));
    strace.arg("--").arg(this_program());
    strace
}

fn strace(log: &Path, calls: &str) -> Command {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o"]).arg(log).args(["-e", &format!("trace={calls}")]);
    strace
}

/// Whether processes can be traced here; says so if not.
pub(crate) fn can_trace() -> bool {
    let tried = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    let works = tried.is_ok_and(|output| output.status.success());
    if !works {
        println!("skipped: strace is not there or may not trace");
    }
    works
}

fn this_program() -> std::path::PathBuf {
    std::env::current_exe().unwrap()
}

fn read(output: &Output) -> Said {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let (mut finished, mut failures) = (None, Vec::new());
    for line in errors.lines().filter_map(Line::read) {
        match line {
            Line::Finished { appends, posts } => finished = Some((appends, posts)),
            Line::Failed { is_of_store, message } => failures.push((is_of_store, message)),
        }
    }
    let everything = format!("{}\n{text}{errors}", output.status);
    let panicked = everything.contains("panicked at");
    Said { finished, failures, panicked, missed: false, everything }
}
