//! A folder, a scripted model, and a program that works there, killed again and again.

use std::fs::{self, File};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use legwork_testkit::script::Script;
use legwork_testkit::{Server, Turn};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::kill::{Kill, LAST, Point, Side};
use crate::observed::{Bell, Hold, Holds, Observed, fifo, observe};

/// What the model says at the end.
pub(crate) const ANSWER: &str = "All ten stand.";

/// Past this a test fails instead of hanging.
const LONG: Duration = Duration::from_secs(60);

/// A program that notes numbers.
pub(crate) trait Program: Sized {
    /// What keeps the process where it stopped; dropped after the kill.
    type Stop;

    /// Puts files that it needs into its folder.
    fn prepare(folder: &Path);

    /// The tool call that notes a number.
    fn call(number: usize) -> Turn;

    /// Begins a session, or goes on with it if there is one.
    fn command(scene: &Scene<Self>) -> Command;

    /// Prepares the process to stop in its tool or after it.
    fn stop(scene: &mut Scene<Self>, kill: Kill) -> Self::Stop;
}

/// A folder, a scripted model, and the process that works there.
pub(crate) struct Scene<P> {
    folder: TempDir,
    pub(crate) server: Server,
    holds: Holds,
    to: Sender<Observed>,
    observed: Receiver<Observed>,
    _bell: Bell,
    lives: u32,
    child: Option<Child>,
    /// The session, once the process printed it.
    pub(crate) session: Option<String>,
    program: PhantomData<P>,
}

/// A process that ended by itself.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) events: Vec<Value>,
    #[allow(dead_code, reason = "for messages of failed tests")]
    pub(crate) err: String,
}

impl<P: Program> Scene<P> {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let work = folder.path().join("work");
        fs::create_dir(&work).unwrap();
        P::prepare(&work);
        let (to, observed) = mpsc::channel();
        let bell = Bell::hang(&work.join("observed"), to.clone());
        fifo(&work.join("go"));
        let holds = Holds::default();
        let (asked, held) = (to.clone(), holds.clone());
        let script = Script::from_fn(move |request| {
            let turn = request.turn();
            // When the test is over, there is no receiver.
            let _ = asked.send(Observed::Asked(turn));
            let answer = if turn < LAST { P::call(turn + 1) } else { Turn::text(ANSWER) };
            held.apply(turn, answer)
        });
        let server = Server::start(script).unwrap();
        let (lives, child, session) = (0, None, None);
        let program = PhantomData;
        Self { folder, server, holds, to, observed, _bell: bell, lives, child, session, program }
    }

    /// Where the program works.
    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the program, which begins or goes on.
    pub(crate) fn start(&mut self) {
        self.start_by(P::command(self));
    }

    pub(crate) fn start_by(&mut self, mut command: Command) {
        self.lives += 1;
        let err = File::create(self.err()).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(err);
        let mut child = command.spawn().unwrap();
        observe(self.lives, child.stdout.take().unwrap(), self.to.clone());
        self.child = Some(child);
    }

    fn err(&self) -> PathBuf {
        self.file(&format!("{}.err", self.lives))
    }

    /// Lets the next request for a turn wait for its answer in vain.
    pub(crate) fn hold(&self, turn: usize, hold: Hold) {
        self.holds.set(turn, hold);
    }

    /// Starts the program and kills it at a point.
    pub(crate) fn killed(&mut self, kill: Kill) {
        let turn = kill.number - 1;
        let stop = match (kill.point, kill.side) {
            (Point::Inference, Side::Before) => {
                self.hold(turn, Hold::Whole);
                self.start();
                self.until(
                    "a request",
                    |observed| matches!(observed, Observed::Asked(t) if *t == turn),
                );
                None
            }
            (Point::Inference, Side::After) => {
                self.hold(turn, Hold::AfterFirstPiece);
                self.start();
                self.until("a piece of the answer", |observed| {
                    is_event(observed, "text_delta", kill.number)
                });
                None
            }
            (Point::Intent | Point::Outcome, _) => Some(P::stop(self, kill)),
        };
        self.kill();
        drop(stop);
    }

    /// Kills the process, as a loss of power would.
    pub(crate) fn kill(&mut self) {
        let mut child = self.leave();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Leaves the process to the test; what is still observed of it is ignored.
    pub(crate) fn leave(&mut self) -> Child {
        self.lives += 1;
        self.child.take().unwrap()
    }

    /// Starts the program and lets it come to its end.
    pub(crate) fn finishes(&mut self) -> Ended {
        self.start();
        self.end()
    }

    /// Waits for the end of the process.
    pub(crate) fn end(&mut self) -> Ended {
        self.end_within(LONG).expect("no end after a long time")
    }

    /// Waits so long for the end of the process.
    pub(crate) fn end_within(&mut self, limit: Duration) -> Option<Ended> {
        let deadline = Instant::now() + limit;
        let mut events = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.observed.recv_timeout(left) {
                Ok(Observed::Event(life, event)) if life == self.lives => {
                    self.learn(&event);
                    events.push(event);
                }
                Ok(Observed::Ended(life)) if life == self.lives => break,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => unreachable!("the scene holds a sender"),
            }
        }
        let code = self.child.take().unwrap().wait().unwrap().code();
        Some(Ended { code, events, err: fs::read_to_string(self.err()).unwrap() })
    }

    /// Waits until something is observed of the process that runs.
    pub(crate) fn until(&mut self, what: &str, is: impl FnMut(&Observed) -> bool) {
        if !self.observes(what, is) {
            self.fail(what);
        }
    }

    /// Waits until something is observed of the process that runs; false when it ended before.
    pub(crate) fn comes_to(&mut self, is: impl FnMut(&Observed) -> bool) -> bool {
        let came = self.observes("a point, or the end", is);
        if !came {
            self.child.take().unwrap().wait().unwrap();
        }
        came
    }

    fn observes(&mut self, what: &str, mut is: impl FnMut(&Observed) -> bool) -> bool {
        let deadline = Instant::now() + LONG;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let observed = self.observed.recv_timeout(left).unwrap_or_else(|_| self.fail(what));
            match &observed {
                Observed::Event(life, _) | Observed::Ended(life) if *life != self.lives => continue,
                Observed::Ended(_) => return false,
                Observed::Event(_, event) => self.learn(event),
                Observed::Asked(_) | Observed::Stopped(_) => {}
            }
            if is(&observed) {
                return true;
            }
        }
    }

    /// Sends a signal to the process.
    pub(crate) fn signal(&self, signal: Signal) {
        let id = self.child.as_ref().unwrap().id();
        kill_process(Pid::from_raw(id.cast_signed()).unwrap(), signal).unwrap();
    }

    /// The entries of the session's journal.
    pub(crate) fn journal(&self, legwork: impl FnOnce(&[&str]) -> Command) -> Vec<Value> {
        let session = self.session.as_deref().unwrap();
        let output = legwork(&["sessions", "show", "--json", session]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A session is there once its first commit is: before that its events are provisional.
    fn learn(&mut self, event: &Value) {
        if event["type"] == "state_updated" {
            return;
        }
        if let Some(session) = event["session"].as_str() {
            self.session = Some(session.to_owned());
        }
    }

    fn fail(&self, what: &str) -> ! {
        let err = fs::read_to_string(self.err()).unwrap_or_default();
        panic!("waited for {what} in vain; standard error: {err}");
    }
}

impl<P> Drop for Scene<P> {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Whether it is an event of a type in a step.
pub(crate) fn is_event(observed: &Observed, kind: &str, step: usize) -> bool {
    matches!(observed, Observed::Event(_, event) if event["type"] == kind && event["step"] == step)
}
