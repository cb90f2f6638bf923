//! One life of a process: an agent is built, runs, is disturbed, and ends or dies.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use legwork_agent::{Agent, Control, Error, HaltReason, Run, RunRequest};
use legwork_core::message::{Part, ToolResult};
use legwork_core::{ErrorKind, ErrorRecord, ExecutionStatus, Message, SessionId, ToolCall};
use legwork_port::Clock as _;

use super::drive::{Conduct, Ended, Fate, drive, finish};
use super::parts;
use super::play::{Playing, ROOT, is_planned};
use super::program::{By, Go, Meanwhile, Start, Stuck};
use crate::conformance::Violation;
use crate::fault::FaultyStore;
use crate::invariants::{broken, hold, of_state};

const ENDS: &str = "a process comes to an end";
const PANIC: &str = "no panic leaves the library (S12.1)";
const CANCEL: &str = "cancelling and interrupting end a run at once (S6.6, S7.7)";
const ERROR: &str = "a run fails only for what cannot be journaled (S1.6, S12.1)";
const BRICKED: &str = "nothing that is said makes a session unusable (S11.1, S12.1)";
const STATE: &str = "the state of a run is the fold of its journal (S10.1)";
const STATUS: &str = "a run that ended is over, or waits for an answer (S3.8, S3.9)";

/// One life of a process.
pub(super) struct Process<'s, 'p> {
    playing: &'s mut Playing<'p>,
    go: &'s Go,
    task: String,
    control: Control,
    store: FaultyStore,
    /// Raised: the future of `next()` is dropped before its next poll.
    drops: Arc<AtomicBool>,
    raised: bool,
    found: Option<Violation>,
}

impl<'s, 'p> Process<'s, 'p> {
    pub(super) fn new(playing: &'s mut Playing<'p>, go: &'s Go, task: String) -> Self {
        let mut store = FaultyStore::over(playing.durable()).paced(playing.program.pace.clone());
        for (operation, nth, fault) in &go.faults {
            store = store.fault(*operation, *nth, *fault);
        }
        let (control, drops) = (Control::default(), Arc::default());
        Self { playing, go, task, control, store, drops, raised: false, found: None }
    }

    /// Runs it to its end, or to its death; whether the session refused what was asked.
    pub(super) fn run(mut self) -> Result<bool, Violation> {
        let agent = self.playing.agent(Arc::new(self.store.clone()))?;
        let request = self.request(&agent);
        let clock = self.playing.world.clock().clone();
        let future = lives(request, self.go.by, Arc::clone(&self.drops));
        let began = clock.now().mono;
        let ended = drive(future, &clock, &mut self);
        self.playing.world.lived(clock.now().mono.since(began));
        if let Some(found) = self.found {
            return Err(found);
        }
        match ended {
            Ended::Died => Ok(false),
            Ended::Panicked(words) => broken(PANIC, words),
            Ended::Endless => broken(ENDS, "it was polled for ever"),
            Ended::Ready(Ok(run)) => self.ran(&run).map(|()| false),
            Ended::Ready(Err(error)) => self.failed(&error),
        }
    }

    fn request(&self, agent: &Agent) -> RunRequest {
        let session = agent.session(ROOT);
        let task = || Message::user(self.task.as_str());
        let in_root = |messages: Vec<Message>| agent.run_messages(messages).in_session(ROOT);
        let request = match self.go.start {
            Start::Task => session.run(task()),
            Start::OpenCall => in_root(vec![task(), open_call()]),
            Start::LoneResult => in_root(vec![lone_result(), task()]),
            Start::Resume => session.resume(),
        };
        let request = request.control(self.control.clone());
        match self.go.on_doubt {
            Some(on_doubt) => request.on_doubt(on_doubt),
            None => request,
        }
    }

    /// It ended by itself.
    fn ran(&self, run: &Run) -> Result<(), Violation> {
        of_state(run.state())?;
        let root = SessionId::new(ROOT);
        let folded = self.playing.world.journal(&root).fold(&root);
        let same = folded == *run.state();
        hold!(STATE, same, "it is {:?}, journaled is {:?}", run.status(), folded.status());
        self.bricked(run)?;
        let interrupted = self.control.interrupt.is_cancelled();
        let status = run.status();
        let rests = status != ExecutionStatus::InProgress || interrupted;
        hold!(STATUS, rests, "it is {status}, and it was not interrupted");
        Ok(())
    }

    /// No request could be made of the session, whatever is said in it.
    fn bricked(&self, run: &Run) -> Result<(), Violation> {
        let unusable = |error: &&ErrorRecord| error.kind == ErrorKind::Configuration;
        let error = run.state().errors().find(unusable);
        hold!(BRICKED, error.is_none(), "{error:?}");
        Ok(())
    }

    /// It was refused, or failed; whether the session refused it.
    fn failed(&self, error: &Error) -> Result<bool, Violation> {
        match error {
            Error::Refused(_) | Error::UnknownSession(_) => Ok(true),
            error if error.as_store().is_some_and(|error| is_planned(error, self.go)) => Ok(false),
            // What a driver lost that panicked before anything was journaled is not known.
            Error::Halted(halt)
                if matches!(halt.reason, HaltReason::Panicked(_))
                    && parts::driver_panics(&self.playing.program.parts) =>
            {
                Ok(false)
            }
            error => broken(ERROR, error.to_string()),
        }
    }

    fn happens(&mut self, what: Meanwhile) -> Fate {
        match what {
            Meanwhile::Die => return Fate::Dies,
            Meanwhile::Cancel => self.control.cancel.cancel(),
            Meanwhile::Interrupt => self.control.interrupt.cancel(),
            Meanwhile::DropNext => self.drops.store(true, Ordering::SeqCst),
            Meanwhile::Post(to, plan) => self.playing.post(to, plan),
            Meanwhile::Rival => self.rival(),
            Meanwhile::Pass(millis) => self.playing.world.leap(Duration::from_millis(millis)),
        }
        self.raised = self.control.is_raised();
        Fate::Lives
    }

    /// Another process wants the session, and gets it only if no other has it.
    fn rival(&mut self) {
        let held = finish(
            legwork_port::Store::claim(&**self.playing.world.store(), &SessionId::new(ROOT)),
            self.playing.world.clock(),
        );
        if held.is_some_and(|claim| claim.is_ok()) {
            return;
        }
        let before = self.playing.world.journals();
        let agent = self.playing.agent(self.playing.durable());
        let resumed =
            agent.map(|agent| finish(agent.resume(ROOT).outcome(), self.playing.world.clock()));
        let refused = match &resumed {
            Ok(Some(Err(error))) => error.is_conflict(),
            _ => false,
        };
        if !refused || before != self.playing.world.journals() {
            let check = "a session that is claimed is refused to others (S8.3)";
            let found = format!("another process got {resumed:?}");
            self.found.get_or_insert(Violation { check, found });
        }
    }
}

impl Conduct for Process<'_, '_> {
    fn before(&mut self, poll: usize) -> Fate {
        let now = self.go.meanwhile.iter().filter(|(at, _)| *at == poll).map(|(_, what)| *what);
        for what in now.collect::<Vec<_>>() {
            if self.happens(what) == Fate::Dies {
                return Fate::Dies;
            }
        }
        Fate::Lives
    }

    fn after(&mut self) -> Fate {
        if self.store.hung().is_cancelled() { Fate::Dies } else { Fate::Lives }
    }

    fn sleeps(&mut self) {
        if self.raised {
            let found = "it waits for time to pass".to_owned();
            self.found.get_or_insert(Violation { check: CANCEL, found });
        }
    }

    fn stuck(&mut self) -> Fate {
        if self.raised {
            let found = "it waits for what never comes".to_owned();
            self.found.get_or_insert(Violation { check: CANCEL, found });
            return Fate::Dies;
        }
        self.happens(match self.go.stuck {
            Stuck::Die => Meanwhile::Die,
            Stuck::Cancel => Meanwhile::Cancel,
            Stuck::Interrupt => Meanwhile::Interrupt,
        })
    }
}

fn open_call() -> Message {
    let call = ToolCall::new("call_in", "look", "{}");
    Message::assistant(vec![Part::ToolCall(Arc::new(call))])
}

fn lone_result() -> Message {
    Message::tool_result(ToolResult::new("call_in", "look", "seen"))
}

/// Runs a request through one of the library's faces.
async fn lives(request: RunRequest, by: By, drops: Arc<AtomicBool>) -> Result<Run, Error> {
    match by {
        By::Await => request.outcome().await,
        By::Steps => {
            let mut active = request.open().await?;
            loop {
                match unless_dropped(active.next(), &drops).await {
                    None | Some(Ok(Some(_))) => {}
                    Some(Ok(None)) => return Ok(active.release().await),
                    Some(Err(error)) => return Err(error),
                }
            }
        }
        By::Stream => {
            let mut stream = request.stream();
            while !matches!(unless_dropped(stream.next(), &drops).await, Some(None)) {}
            stream.outcome().await
        }
    }
}

/// What a future gives; none if it was dropped before it was ready.
async fn unless_dropped<F: Future>(future: F, drops: &AtomicBool) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|cx| match drops.swap(false, Ordering::SeqCst) {
        true => Poll::Ready(None),
        false => future.as_mut().poll(cx).map(Some),
    })
    .await
}
