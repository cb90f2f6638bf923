//! The loop of a worker.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::Rest;
use legwork_core::{Event, Micros, SessionId};
use legwork_port::store::{self, DueQuery, PageCursor, Range, SessionInfo};
use tokio::task::JoinSet;
use tracing::{debug, warn};

use crate::backoff::{self, Backoff};
use crate::event::WorkerEvent;
use crate::runner::{Due, Failure};
use crate::worker::Worker;

/// The fewest sessions that are asked for at once: of those a worker takes any, so that workers
/// that ask at one time rarely meet at one session.
const LEAST: usize = 32;

/// A worker at work.
pub(crate) struct Round<'a> {
    worker: &'a Worker,
    /// The sessions that it works in.
    under_way: BTreeSet<SessionId>,
    tasks: JoinSet<(Due, Result<Rest, Failure>)>,
    backoff: Backoff,
    until_idle: bool,
    /// How many sessions it ran.
    ran: usize,
}

/// What came of looking for sessions.
enum Found {
    /// As many as there was room for.
    Enough,
    /// All that are due and may be taken up.
    All,
}

impl<'a> Round<'a> {
    pub(crate) fn new(worker: &'a Worker) -> Self {
        Self {
            worker,
            under_way: BTreeSet::new(),
            tasks: JoinSet::new(),
            backoff: Backoff::default(),
            until_idle: false,
            ran: 0,
        }
    }

    /// The same, which ends when nothing is due.
    pub(crate) fn until_idle(self) -> Self {
        Self { until_idle: true, ..self }
    }

    /// Takes up sessions until it is to stop; returns how many it ran.
    ///
    /// # Errors
    /// When the store cannot be asked, and the round is to end when nothing is due.
    pub(crate) async fn run(mut self) -> Result<usize, store::Error> {
        let mut failures = 0;
        let mut failed = None;
        while !self.stops() {
            let found = self.take_up().await;
            failures = if found.is_ok() { 0 } else { failures + 1 };
            let wait = match found {
                Ok(Found::Enough) => None,
                Ok(Found::All) if self.until_idle && self.tasks.is_empty() => break,
                Ok(Found::All) => Some(self.worker.poll),
                Err(error) if self.until_idle => {
                    failed = Some(error);
                    break;
                }
                Err(error) => {
                    let wait = backoff::after(failures);
                    self.worker.reports(&WorkerEvent::StoreFailed { error: &error, wait });
                    Some(wait)
                }
            };
            self.rest_or(wait).await;
        }
        self.settle().await;
        failed.map_or(Ok(self.ran), Err)
    }

    fn stops(&self) -> bool {
        let control = &self.worker.control;
        control.rest.is_cancelled() || control.is_raised()
    }

    fn now(&self) -> Micros {
        self.worker.clock.mono()
    }

    /// Begins sessions that are due, as many as there is room for.
    async fn take_up(&mut self) -> Result<Found, store::Error> {
        let now = self.now();
        self.backoff.tidy(now);
        let mut after: Option<PageCursor> = None;
        while self.tasks.len() < self.worker.concurrency {
            let room = self.worker.concurrency - self.tasks.len();
            let mut query = DueQuery::at(self.worker.clock.now().wall).limit(LEAST.max(4 * room));
            query.after = after;
            let mut page = self.worker.store.due(&query).await?;
            fastrand::shuffle(&mut page.sessions);
            for info in page.sessions {
                if self.tasks.len() == self.worker.concurrency {
                    return Ok(Found::Enough);
                }
                let due = self.root_of(info).await?;
                let session = &due.session;
                if self.under_way.contains(session) || self.backoff.is_left(session, now) {
                    continue;
                }
                match self.worker.runner.has(&due) {
                    true => self.begin(due),
                    false => self.failed(session, Failure::NoAgent(due.agent.clone())),
                }
            }
            let Some(next) = page.next else { return Ok(Found::All) };
            after = Some(next);
        }
        Ok(Found::Enough)
    }

    /// The session at the root of the tree that a session is in: only that one is run.
    async fn root_of(&self, info: SessionInfo) -> Result<Due, store::Error> {
        let mut due = Due::new(info.session, info.summary.agent);
        let mut parent = info.summary.parent;
        let mut seen = BTreeSet::new();
        // Sessions that work for each other in a circle have no root: any of them is refused when
        // it is run.
        while let Some(above) = parent.filter(|above| seen.insert(above.clone())) {
            let first = self.worker.store.read(&above, Range::ALL.limit(1)).await?.journal;
            let Some(Event::SessionStarted(started)) = first.entries().first().map(|e| &e.event)
            else {
                break;
            };
            parent = started.parent.as_ref().map(|link| link.session.clone());
            due = Due::new(above, Some(started.agent.clone()));
        }
        Ok(due)
    }

    fn begin(&mut self, due: Due) {
        debug!(session = due.session.as_str(), "session taken up");
        self.worker.reports(&WorkerEvent::Began(&due));
        self.under_way.insert(due.session.clone());
        let (runner, control) = (Arc::clone(&self.worker.runner), self.worker.control.clone());
        self.tasks.spawn(async move {
            let rest = legwork_port::unwind::run(|| runner.run(&due, control)).await;
            let rest = rest.unwrap_or_else(|panic| Err(Failure::Other(panic)));
            (due, rest)
        });
    }

    /// Waits until a session rests, for this time at most, or until the worker is to stop.
    async fn rest_or(&mut self, wait: Option<Duration>) {
        let control = self.worker.control.clone();
        let stopped = async { control.rest.cancelled_or(&control.interrupt).await };
        let cancelled = control.cancel.cancelled();
        let rested = tokio::select! {
            Some(rested) = self.tasks.join_next() => Some(rested),
            () = self.worker.clock.sleep(jittered(wait.unwrap_or_default())), if wait.is_some() => None,
            () = stopped => None,
            () = cancelled => None,
        };
        if let Some(Ok((due, rest))) = rested {
            self.rested(&due, rest);
        }
    }

    fn rested(&mut self, due: &Due, rest: Result<Rest, Failure>) {
        let (session, now) = (&due.session, self.now());
        self.under_way.remove(session);
        match rest {
            // Another process works in it, or died there a moment ago.
            Ok(Rest::Busy) => self.backoff.pass(session, now),
            Ok(rest) => {
                self.ran += 1;
                self.backoff.rested(session, now);
                self.worker.reports(&WorkerEvent::Rested { session, rest: &rest });
            }
            Err(failure) if failure.is_taken_over() => {
                self.backoff.pass(session, now);
                self.worker.reports(&WorkerEvent::TakenOver { session });
            }
            Err(failure) => self.failed(session, failure),
        }
    }

    fn failed(&mut self, session: &SessionId, failure: Failure) {
        let wait = self.backoff.leave(session, self.now());
        warn!(session = session.as_str(), %failure, "session not run");
        self.worker.reports(&WorkerEvent::Failed { session, failure: &failure, wait });
    }

    /// Waits until all sessions under way rest.
    async fn settle(&mut self) {
        if !self.tasks.is_empty() {
            self.worker.reports(&WorkerEvent::Stopping { sessions: self.tasks.len() });
        }
        while let Some(rested) = self.tasks.join_next().await {
            if let Ok((due, rest)) = rested {
                self.rested(&due, rest);
            }
        }
    }
}

/// A wait, up to a quarter shorter: workers that began together shall not ask together.
fn jittered(wait: Duration) -> Duration {
    wait.mul_f64(1.0 - fastrand::f64() / 4.0)
}
