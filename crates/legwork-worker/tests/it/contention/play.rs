//! A run: sessions are submitted, workers finish them, and faults hit the workers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use legwork_agent::Agent;
use legwork_core::inbox::Answer;
use legwork_core::{Event, ExecutionStatus, Seq, SessionId, Timestamp};
use legwork_port::Store;
use legwork_port::store::{DueQuery, Query, Range};
use serde_json::json;
use tempfile::TempDir;

use super::clerk;
use super::crew::Crew;
use super::faults::{Fault, Faults, Size, What};
use super::ledger::Ledger;
use super::place::{self, Place};
use super::process::{Said, Setup};
use super::tally::Tally;

pub(super) const LEASE: Duration = Duration::from_secs(1);
const WORKERS: usize = 4;
/// How many sessions are to be worked on at least, once half of all were submitted together.
const BACKLOG: usize = 8;
/// A run that takes longer fails.
const LIMIT: Duration = Duration::from_secs(60);

/// A worker that is paused at a point.
#[derive(Debug)]
struct Pause {
    worker: usize,
    at: u64,
    session: SessionId,
    /// The last entry of the session when the worker stood still.
    last: Seq,
    what: What,
}

/// A run that is under way.
pub(super) struct Play {
    folder: TempDir,
    ledger: Ledger,
    store: Arc<dyn Store>,
    agent: Agent,
    rng: Rng,
    faults: Faults,
    crew: Crew,
    size: Size,
    sessions: Vec<SessionId>,
    /// How many points were reached.
    points: usize,
    pauses: Vec<Pause>,
    /// The calls that are in doubt for sure: their worker never came to their outcome.
    in_doubt: Vec<(SessionId, &'static str)>,
    answered: BTreeSet<String>,
    begun: Instant,
    tally: Tally,
}

/// A run that is over.
pub(super) struct Played {
    _folder: TempDir,
    pub(super) ledger: Ledger,
    pub(super) store: Arc<dyn Store>,
    pub(super) sessions: Vec<SessionId>,
    pub(super) in_doubt: Vec<(SessionId, &'static str)>,
    pub(super) tally: Tally,
}

impl Play {
    pub(super) async fn begin(place: &Place, size: Size, seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::at(&folder.path().join("effects"));
        let store = place::open(place.url(), LEASE);
        let agent = clerk::agent(Arc::clone(&store), &ledger, &Arc::default());
        let mut rng = Rng::with_seed(seed);
        let setup =
            Setup { url: place.url().to_owned(), ledger: ledger.path().to_owned(), lease: LEASE };
        let (faults, crew) = (Faults::plan(size, &mut rng), Crew::start(setup, WORKERS));
        let mut play = Self {
            folder,
            ledger,
            store,
            agent,
            rng,
            faults,
            crew,
            size,
            sessions: Vec::new(),
            points: 0,
            pauses: Vec::new(),
            in_doubt: Vec::new(),
            answered: BTreeSet::new(),
            begun: Instant::now(),
            tally: Tally::default(),
        };
        while play.sessions.len() < size.sessions / 2 {
            play.submit().await;
        }
        play
    }

    async fn submit(&mut self) {
        let session = SessionId::from(format!("job-{}", self.sessions.len()));
        self.agent.session(session.clone()).submit(session.as_str()).await.unwrap();
        self.sessions.push(session);
    }

    /// Plays until all sessions are completed and nothing is expected of a worker.
    pub(super) async fn run(&mut self) {
        let mut looked = Instant::now();
        loop {
            if let Some((worker, said)) = self.crew.next().await {
                self.heard(worker, said).await;
            }
            if looked.elapsed() > Duration::from_millis(100) {
                if self.look().await && self.crew.is_settled() && self.pauses.is_empty() {
                    break;
                }
                looked = Instant::now();
            }
            if self.begun.elapsed() > LIMIT {
                panic!("not over in time: {}", self.standing().await);
            }
        }
        assert!(self.faults.is_empty(), "faults that found no point: {:?}", self.faults);
    }

    /// How all stands, for a person who looks for the mistake.
    async fn standing(&self) -> String {
        let (faults, crew, pauses) = (&self.faults, &self.crew, &self.pauses);
        let mut text = format!("{faults:?}\n{crew:?}\n{pauses:?}\n{}", self.tally);
        let due = self.store.due(&DueQuery::at(Timestamp(u64::MAX / 4))).await.unwrap();
        let due: Vec<_> = due.sessions.into_iter().map(|info| info.session).collect();
        for session in &self.sessions {
            let journal = self.store.read(session, Range::ALL).await.unwrap().journal;
            let state = journal.fold(session);
            if state.status() != Some(&ExecutionStatus::Completed) {
                let last = journal.entries().last().map(|entry| entry.event.kind().to_owned());
                let is_claimed = self.store.is_claimed(session).await.unwrap();
                text += &format!(
                    "\n{session} is {:?}, last {last:?}, due: {}, claimed: {is_claimed:?}",
                    state.status(),
                    due.contains(session)
                );
            }
        }
        text
    }

    /// The workers rest, and what is left can be checked.
    pub(super) fn end(self) -> Played {
        let Self { folder: _folder, ledger, store, sessions, in_doubt, .. } = self;
        let takeovers = self.crew.rest();
        let tally = Tally { takeovers, took: self.begun.elapsed(), ..self.tally };
        Played { _folder, ledger, store, sessions, in_doubt, tally }
    }

    async fn heard(&mut self, worker: usize, said: Said) {
        match said {
            Said::At { at, point, session } => {
                self.points += 1;
                let fault = match self.crew.may_hit(worker) {
                    true => self.faults.at(self.points, point),
                    false => None,
                };
                match fault {
                    Some(fault) => self.hit(worker, at, session.into(), fault).await,
                    None => self.crew.go(worker, at),
                }
            }
            Said::Lost(_) => self.tally.refused += 1,
            Said::Failed(what) => self.tally.failures.push(what),
            Said::Began(_) | Said::Rested(_) => {}
        }
    }

    /// A fault hits a worker at a point, or another worker at that time.
    async fn hit(&mut self, worker: usize, at: u64, session: SessionId, fault: Fault) {
        let tool = fault.point.tool();
        match fault.what {
            What::Kill => {
                self.crew.kill(worker);
                self.tally.kills += 1;
                self.in_doubt.extend(tool.map(|tool| (session, tool)));
            }
            What::KillAnother => {
                self.crew.go(worker, at);
                let another = self.crew.another(worker, &mut self.rng);
                self.crew.kill(another.unwrap_or(worker));
                self.tally.kills += 1;
            }
            What::PauseUntilTakenOver | What::PausePastLease => {
                self.crew.pause(worker);
                self.tally.pauses += 1;
                let last = self.store.read(&session, Range::ALL).await.unwrap().journal.version();
                self.pauses.push(Pause { worker, at, session, last, what: fault.what });
            }
        }
    }

    /// Looks at the store; returns whether all sessions are completed.
    async fn look(&mut self) -> bool {
        let listed = self.store.sessions(&Query::all()).await.unwrap().sessions;
        let mut completed = 0;
        for info in listed {
            let Some(status) = info.summary.status else { continue };
            completed += usize::from(status == ExecutionStatus::Completed);
            if status.is_terminal() || status.is_waiting() {
                self.crew.taken_over(info.session.as_str(), |_| true);
            }
            if status.is_waiting() {
                self.answer(&info.session).await;
            }
        }
        self.crew.replace();
        self.submit_more(completed).await;
        for pause in std::mem::take(&mut self.pauses) {
            self.go_on(pause).await;
        }
        completed == self.sessions.len()
    }

    /// Submits sessions while there are faults to come or sessions left, unless the workers that
    /// are hit now have to be replaced first.
    async fn submit_more(&mut self, completed: usize) {
        let is_wanted = |play: &Self| match play.faults.is_empty() {
            true => play.sessions.len() < play.size.sessions,
            false => play.crew.may_hit_any() && play.sessions.len() < completed + BACKLOG,
        };
        while is_wanted(self) {
            self.submit().await;
        }
    }

    /// Answers the calls in doubt of a session as a person does who does not know more.
    async fn answer(&mut self, session: &SessionId) {
        let session = self.agent.session(session.clone());
        for call in session.pending().await.unwrap() {
            if self.answered.insert(call.pending.id.clone()) {
                session.answer(Answer::supply(&call.pending, json!("unknown"))).await.unwrap();
                self.tally.answers += 1;
            }
        }
    }

    /// Lets a paused worker go on if it is time.
    async fn go_on(&mut self, pause: Pause) {
        let is_taken_over = self.is_taken_over(&pause).await;
        let is_over = match pause.what {
            What::PausePastLease => {
                is_taken_over || self.store.is_claimed(&pause.session).await.unwrap() == Some(false)
            }
            _ => is_taken_over,
        };
        if !is_over {
            self.pauses.push(pause);
            return;
        }
        // What it stood at may go on before its claim is renewed, or after.
        let goes_first = self.rng.bool();
        if goes_first {
            self.crew.go(pause.worker, pause.at);
        }
        let lost = is_taken_over.then(|| pause.session.as_str().to_owned());
        self.crew.resume(pause.worker, lost);
        if !goes_first {
            self.crew.go(pause.worker, pause.at);
        }
    }

    /// Whether the session has an entry that its paused worker cannot have written: all but the
    /// outcome of the call beside the one at which it stands.
    async fn is_taken_over(&self, pause: &Pause) -> bool {
        let read = self.store.read(&pause.session, Range::after(pause.last)).await.unwrap();
        let late =
            |event: &Event| matches!(event, Event::ToolFinished(finished) if finished.index == 1);
        read.journal.entries().iter().any(|entry| !late(&entry.event))
    }
}
