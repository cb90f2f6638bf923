//! One command in the background: what it printed, whether it runs, how it ended.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork_port::core::SessionId;
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use super::unread::{Unread, shortened};
use crate::bash::Ending;
use crate::bash::wording::{self, with_note};
use crate::process::{End, Lifeline, Order, Running, Sink};
use crate::sandbox::Limits;

/// What comes in one go is read in one go: so long a silence ends it...
const SILENCE: Duration = Duration::from_millis(100);
/// ... and so much time.
const GATHERING: Duration = Duration::from_secs(1);

/// A command that was started; dropped, it is killed with all that came of it.
#[derive(Debug)]
pub(super) struct Command {
    session: SessionId,
    id: String,
    line: String,
    began: Instant,
    limit: Duration,
    limits: Limits,
    lifeline: Lifeline,
    enough: Arc<Notify>,
    now: Arc<watch::Sender<Now>>,
}

/// Its state and unread output.
#[derive(Debug)]
struct Now {
    unread: Unread,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Running,
    Ended(End, Cause, Duration),
    /// The task that watched it is gone, and so it was killed.
    Lost,
}

/// Why it was stopped, if it was.
#[derive(Clone, Copy, Debug)]
enum Cause {
    Limit,
    Request,
}

impl Command {
    /// Starts it; the runtime watches it from here on.
    pub(super) fn start(
        order: Order,
        (session, id): (SessionId, String),
        line: &str,
        limit: Duration,
        shown: usize,
    ) -> io::Result<Self> {
        let limits = order.limits;
        let now = Now { unread: Unread::new(shown), state: State::Running };
        let now = Arc::new(watch::Sender::new(now));
        let began = Instant::now();
        let running = Running::start(order, Printed(Arc::clone(&now)))?;
        let (lifeline, enough) = (running.lifeline(), Arc::new(Notify::new()));
        let reporter = Reporter(Arc::clone(&now));
        let asked = Arc::clone(&enough);
        tokio::spawn(async move {
            let mut cause = Cause::Limit;
            let finished = running.finish(async {
                tokio::select! {
                    () = asked.notified() => cause = Cause::Request,
                    () = sleep(limit) => {}
                }
            });
            // Where its end cannot be learned it is let go of, and so killed and lost.
            if let Ok((end, _)) = finished.await {
                reporter.ended(State::Ended(end, cause, began.elapsed()));
            }
        });
        let line = shortened(line);
        Ok(Self { session, id, line, began, limit, limits, lifeline, enough, now })
    }

    pub(super) fn session(&self) -> &SessionId {
        &self.session
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The command, in one line.
    pub(super) fn line(&self) -> &str {
        &self.line
    }

    /// What it is, for the model.
    pub(super) fn name(&self) -> String {
        format!("{}: {}", self.id, self.line)
    }

    pub(super) fn is(&self, session: &SessionId, id: &str) -> bool {
        self.session == *session && self.id == id
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self.now.borrow().state, State::Running)
    }

    pub(super) fn is_stuck(&self) -> bool {
        matches!(self.now.borrow().state, State::Ended(End::Stuck, ..))
    }

    /// Asks it to end; after the grace it is killed. A second time is nothing.
    pub(super) fn ask_to_end(&self) {
        self.enough.notify_one();
    }

    /// Waits until it has ended.
    pub(super) async fn ended(&self) {
        let mut now = self.now.subscribe();
        // Its sender is ours, so it does not go away.
        drop(now.wait_for(|now| !matches!(now.state, State::Running)).await);
    }

    /// Waits until there is something new, and for what comes with it.
    pub(super) async fn changed(&self, most: Duration) {
        let is_new = |now: &Now| !now.unread.is_empty() || !matches!(now.state, State::Running);
        if is_new(&self.now.borrow()) {
            return;
        }
        let mut now = self.now.subscribe();
        let waited = timeout(most, async { drop(now.wait_for(is_new).await) }).await;
        if waited.is_err() {
            return;
        }
        let gather = async {
            while self.is_running() && matches!(timeout(SILENCE, now.changed()).await, Ok(Ok(()))) {
            }
        };
        // Who prints without a pause is read in parts.
        let _ = timeout(GATHERING, gather).await;
    }

    /// What it printed since the last time, its state, and how it ended by itself if it did.
    /// Nothing is given twice.
    pub(super) fn read(&self) -> (String, Option<Ending>) {
        let mut text = String::new();
        let mut state = State::Lost;
        // No task waits for less to read.
        self.now.send_if_modified(|now| {
            (text, state) = (now.unread.take(), now.state);
            false
        });
        let (id, news) = (&self.id, if text.is_empty() { "nothing new; " } else { "" });
        let ending = match state {
            State::Ended(end, ..) => Ending::from_end(end),
            State::Running | State::Lost => None,
        };
        let state = self.describe(state);
        (with_note(text, &format!("[{id}: {news}{state}]")), ending)
    }

    fn describe(&self, state: State) -> String {
        let (end, cause, after) = match state {
            State::Running => return format!("running for {} s", self.began.elapsed().as_secs()),
            State::Lost => return "gone, killed with what watched it".to_owned(),
            State::Ended(end, cause, after) => (end, cause, after.as_secs()),
        };
        if let Some(how) = wording::by_itself(end, self.limits) {
            return format!("ended after {after} s, {how}");
        }
        match (cause, end) {
            (Cause::Limit, end) => wording::timed_out(end, self.limit.as_secs()),
            (Cause::Request, End::Killed) => {
                format!("ended after {after} s, killed since it did not end when asked to")
            }
            (Cause::Request, End::Stuck) => {
                "asked to end; some of it could not be killed and may still run".to_owned()
            }
            (Cause::Request, _) => format!("ended after {after} s, as asked"),
        }
    }
}

impl Drop for Command {
    fn drop(&mut self) {
        self.lifeline.cut();
    }
}

/// Where its output goes.
struct Printed(Arc<watch::Sender<Now>>);

impl Sink for Printed {
    fn push(&mut self, chunk: &[u8]) {
        self.0.send_modify(|now| now.unread.push(chunk));
    }
}

/// Reports how it ended; when dropped before, that it is lost.
struct Reporter(Arc<watch::Sender<Now>>);

impl Reporter {
    fn ended(&self, state: State) {
        self.0.send_modify(|now| {
            if matches!(now.state, State::Running) {
                now.unread.close();
                now.state = state;
            }
        });
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.ended(State::Lost);
    }
}
